# Judges and prints the rows of tests/speed/bench.c, each after the name of a build:
# first the ratios that were asked for, then tables. Exits with 1 if bloom.h
# breaks a promise (rate, memory); a figure that falls short is told, no more.
BEGIN {
    FS = "\t"
    operations = split("add absent present 50/50", operation, " ")

    # At least so many times as fast as libbloom, p = 1%: "-" is not asked
    asked("native", 1e6, "u64", "blocked", "28 17 13 -")
    asked("native", 1e6, "u64", "blocked many", "45 18 - -")
    asked("O2", 1e6, "u64", "blocked", "20 11 8.5 -")
    asked("native", 1e6, "u64", "classic", "9.5 4 3.2 2.2")
    asked("native", 1e6, "u64", "classic many", "- 5.5 - -")
    asked("", 1e6, "strings", "blocked", "6 3.6 3 -")
    asked("native", 1e4, "u64", "blocked", "20 17 12.5 -")
    asked("", 1e8, "u64", "blocked many", "21 14.5 - -")
}

function asked(build, n, keys, who, figures_of_it)
{
    figure[++figures] = build FS n FS keys FS who FS figures_of_it
}

{
    setting = $1 FS $2 FS $3 FS $4
    if (!(setting in seen)) {
        seen[setting] = 1
        order[++settings] = setting
    }
    if (!($5 in known)) {
        known[$5] = 1
        contender[++contenders] = $5
    }
    value[setting, $5, $6] = $7
}

function ns(setting, who, what)
{
    return value[setting, who, what] + 0
}

function times(setting, who, what)
{
    return ns(setting, "libbloom", what) / ns(setting, who, what)
}

function name(setting,   part)
{
    split(setting, part, FS)
    if (part[3] ~ /^10*$/)
        part[3] = "10^" (length(part[3]) - 1)
    return sprintf("%-12s %-7s n = %-5s p = %g%%", part[1], part[2],
                   part[3], 100 * part[4])
}

# One line; `more` is 1 if `got` should be at least `limit`, -1 if at most
function verdict(setting, what, op, limit, got, more, unit, note,   ok)
{
    ok = more * got >= more * limit
    held += ok
    short += !ok
    printf("%s  %-36s %-8s %s %6.4g%-3s  got %6.4g  %s%s\n", name(setting),
           what, op, more > 0 ? ">=" : "<=", limit, unit, got,
           ok ? "ok" : "SHORT", note)
    return ok
}

function promise(setting, what, limit, got, unit)
{
    if (!verdict(setting, what, "", limit, got, -1, unit)) {
        print "BROKEN PROMISE: " what
        broken = 1
    }
}

function least(x, y)
{
    return x < y ? x : y
}

# The floor of a random line and the hash, the faster way of the two
function floor_of(setting, what)
{
    return least(ns(setting, "floor: fmix64, a line", what),
                 ns(setting, "floor: the same, ahead", what))
}

# How many times as fast as libbloom that is, where it was measured
function ceiling(setting, what,   floor)
{
    floor = floor_of(setting, what)
    return floor > 0 ? sprintf("  floor %.1fx",
                               ns(setting, "libbloom", what) / floor) : ""
}

function judge_figures(setting,   i, j, f, t, s)
{
    split(setting, s, FS)
    for (i = 1; i <= figures; i++) {
        split(figure[i], f, FS)
        if (s[1] !~ f[1] "$" || s[3] != f[2] || s[2] != f[3] || s[4] != 0.01)
            continue
        split(f[5], t, " ")
        for (j = 1; j <= operations; j++)
            if (t[j] != "-")
                verdict(setting, f[4], operation[j], t[j],
                        times(setting, f[4], operation[j]), 1, "x",
                        ceiling(setting, operation[j]))
    }
}

# ns a call through a declaration above one that the compiler sees through
function judge_calls(setting, layout,   j, what)
{
    for (j = 1; j <= operations; j++) {
        what = operation[j]
        verdict(setting, layout ", declarations - inline", what, 1.6,
                ns(setting, layout ", declarations", what) \
                - ns(setting, layout, what), -1, " ns")
    }
}

function judge_floor(setting,   j)
{
    for (j = 1; j <= operations; j++)
        verdict(setting, "blocked many / floor with fmix64", operation[j],
                1.25, ns(setting, "blocked many", operation[j]) \
                / floor_of(setting, operation[j]), -1, "x")
}

# Once hashed, a string is a key like any other.
function judge_prehashed(setting, integers,   j)
{
    for (j = 1; j <= operations; j++)
        verdict(setting, "blocked prehashed / the same, u64", operation[j], 1.1,
                ns(setting, "blocked prehashed", operation[j]) \
                / ns(integers, "blocked prehashed", operation[j]), -1, "x")
}

function judge_promises(setting,   s, most)
{
    split(setting, s, FS)
    most = s[4] == 0.01 ? 10.6 : s[4] == 0.001 ? 17.0 : 0
    promise(setting, "classic: measured rate",
            100 * value[setting, "classic", "rate allowed"],
            100 * value[setting, "classic", "rate"], "%")
    promise(setting, "blocked: measured rate",
            100 * value[setting, "blocked", "rate allowed"],
            100 * value[setting, "blocked", "rate"], "%")
    if (most > 0)
        promise(setting, "blocked: bits a key", most,
                ns(setting, "blocked", "bits/key"), "")
}

function judge_others(setting,   s, integers)
{
    split(setting, s, FS)
    integers = s[1] FS "u64" FS s[3] FS s[4]
    if (s[4] == 0.01 && s[2] == "u64") {
        judge_calls(setting, "classic")
        judge_calls(setting, "blocked")
        if (s[3] >= 1e8)
            judge_floor(setting)
    }
    if (s[4] == 0.01 && s[2] == "strings" && (integers in seen))
        judge_prehashed(setting, integers)
}

function heading(   i, j)
{
    printf "%-23s", ""
    for (i = 1; i <= 2; i++)
        for (j = 1; j <= operations; j++)
            printf " %7s", operation[j]
    print "  bits/key     rate"
}

function row(setting, who,   j)
{
    printf "%-23s", who
    for (j = 1; j <= operations; j++)
        printf " %7.1f", times(setting, who, operation[j])
    for (j = 1; j <= operations; j++)
        printf " %7.2f", ns(setting, who, operation[j])
    if ((setting, who, "rate") in value)
        printf "   %7.2f %7.4f%%", ns(setting, who, "bits/key"),
               100 * ns(setting, who, "rate")
    print ""
}

END {
    print "\nTimes as fast as libbloom, asked and got; what the floor would " \
          "get\n"
    for (i = 1; i <= settings; i++)
        judge_figures(order[i])
    print ""
    for (i = 1; i <= settings; i++)
        judge_others(order[i])
    print ""
    for (i = 1; i <= settings; i++)
        judge_promises(order[i])
    printf "\n%d ok, %d short\n", held, short
    for (i = 1; i <= settings; i++) {
        print "\n" name(order[i]) ": times libbloom, then ns a key"
        heading()
        for (j = 1; j <= contenders; j++)
            if ((order[i], contender[j], "add") in value)
                row(order[i], contender[j])
    }
    exit broken
}
