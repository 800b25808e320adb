# Prints the rows of run.sh as tables, for `make bench`. If several rows have the
# same names, the least value counts. The first table, a summary, is the one in
# tests/RESULTS.md.
BEGIN {
    FS = "\t"
    every = "add absent present mixed"
    ours = "blocked;blocked, many;classic;classic, many"
    all = "blocked;lean blocked;libfilter;boost blocked;" \
        "boost blocked, its hash;blocked, many;lean blocked, many;" \
        "boost blocked, many;boost blocked, its hash, many;" \
        "classic;lean classic;boost classic;boost classic, its hash;" \
        "fastfilter;fastfilter branchless;datasketches;" \
        "datasketches, tells;libbloom;" \
        "classic, many;lean classic, many;boost classic, many;" \
        "boost classic, its hash, many;counting;counting, many;hash set;floor"
    filters = "blocked;libfilter;boost blocked;boost blocked, its hash;" \
        "classic;boost classic;boost classic, its hash;fastfilter branchless;" \
        "libbloom;hash set"
    summary = "blocked;libfilter;boost blocked;blocked, many;" \
        "boost blocked, many;classic;boost classic;fastfilter branchless;" \
        "libbloom;classic, many;boost classic, many;hash set"
}

$1 == "machine" && !machine { machine = $2 }
$1 == "columns" && !columns { columns = split($2, column, " ") }
NF == 8 {
    if (!known[$1]++) build[++builds] = $1
    who = $5 ($6 == "many" && $5 !~ /floor/ ? ", many" : "")
    key = $1 FS $2 FS $4 FS $3 + 0 FS who FS $7
    if (!(key in value) || $8 + 0 < value[key]) value[key] = $8 + 0
}

function figure(x, what) {
    return what == "rate" ? sprintf("%.3f%%", 100 * x) : sprintf(what == "bits" \
        ? "%.1f" : x >= 9.95 ? "%.0f" : x >= 0.995 ? "%.1f" : "%.2f", x)
}

function power(n,   digit, zeros) {
    digit = substr(n, 1, 1)
    zeros = length(n) - 1
    return n + 0 < 1000 || n !~ /^[1-9]0*$/ ? n : (digit == 1 ? "" : digit "\\*") "10^" zeros
}

function ns(setting, n, who, what) {
    return value[setting FS n FS who FS what]
}

# The text of a cell: the figures of `whats`, or their ratio to those of `other`
function cell(setting, n, who, whats, other,   i, count, what, text, x, by) {
    count = split(whats, what, " ")
    for (i = 1; i <= count; i++) {
        x = ns(setting, n, who, what[i])
        by = other == "" ? 1 : ns(setting, n, other, what[i])
        if (what[i] == "rate" && text) x = x ? x : 1e-99    # exact: no row
        if (!x || !by) return ""
        text = text " " (other == "" ? figure(x, what[i]) : sprintf("%.2f", x / by))
    }
    return text
}

# The rows of those in a list that were measured
function rows(prefix, setting, whos, whats, others,
              i, j, n, who, line, text) {
    n = split(whos, who, ";")
    for (i = 1; i <= n; i++) {
        line = ""
        for (j = 1; j <= columns; j++)
            line = line cell(setting, column[j] + 0, who[i], whats,
                             others ? "lean " who[i] : "") " |"
        if (line ~ /[0-9]/) text = text "| " prefix who[i] " |" line "\n"
    }
    return text
}

function table(title, text,   i, rule) {
    if (text == "") return
    printf "\n| %s |", title
    for (i = 1; i <= columns; i++) {
        printf " n = %s |", power(sprintf("%.0f", column[i]))
        rule = rule "---|"
    }
    printf "\n|---|%s\n%s", rule, text
}

END {
    of = build[1] FS "u64" FS "0.01"
    print "\n" machine "; ns per key"
    table("ns to add a key, and to look up a mixture; " build[1],
          rows("", of, summary, "add mixed"))
    table("ns to add, and to look up absent, present and mixed keys; " build[1],
          rows("", of, all, every))
    table("ns to add, if the result is dropped; " build[1],
          rows("", of, "blocked, result dropped;classic, result dropped", "add"))
    for (i = 1; i <= builds; i++)
        text = text rows(build[i] ": ", build[i] FS "u64" FS "0.01", ours,
                         every, 1)
    table("ratio to the lean kernels", text)
    text = rows("strings: ", build[1] FS "strings" FS "0.01", all, every) \
        rows("hashed before: ", build[1] FS "hashed" FS "0.01", all, every) \
        rows("p = 10^-6: ", build[1] FS "u64" FS "1e-06", ours, every) \
        rows("p = 10^-9: ", build[1] FS "u64" FS "1e-09", ours, every)
    for (i = 2; i <= builds; i++)
        text = text rows(build[i] ": ", build[i] FS "u64" FS "0.01", ours,
                         every)
    table("other keys, rates, compilers", text)
    table("bits per key, and the measured rate at 1%", rows("", of, filters,
                                                            "bits rate"))
}
