# Run by `make examples` and `make interop`: builds and runs each example named
# and compares what it prints with what its head says that it prints: the lines
# after "Prints:", indented by 7 spaces; "..." stands for anything (a time, say).
# What stands before "Prints:" on its line, after the example's name, are the words
# that it is run with.
# usage: examples.sh NAME[:library...] ...
. tests/unit/count.sh

# promised FILE: those lines, as anchored regular expressions
promised() {
    awk '/Prints:/ { on = 1; next }
         on && /^       / { print substr($0, 8); next }
         on { exit }' "$1" |
        sed -e 's/ *\*\/$//' -e 's/[][\.*^$(){}|+?]/\\&/g' -e 's/\\\.\\\.\\\./.*/g' \
            -e 's/^/^/' -e 's/$/$/'
}

# words FILE NAME: those that it is run with
words() {
    awk -v name="$2" '/Prints:/ { sub(/ *Prints:.*/, "")
        if ($1 == name) { $1 = ""; print } exit }' "$1"
}

# alike PATTERNS OUTPUT: the same number of lines, each as its pattern says
alike() {
    [ -s "$1" ] && [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] || return 1
    awk 'NR == FNR { says[FNR] = $0; next } $0 !~ says[FNR] { exit 1 }' \
        "$1" "$2"
}

for example in "$@"; do
    name=${example%%:*}
    libraries=
    [ "$name" = "$example" ] || libraries=$(echo "${example#*:}" | tr : ' ')
    program=build/$(basename "$name")
    ${CC:-cc} -std=c99 -O2 -Wall -Wextra -pedantic -I. "examples/$name.c" \
        -o "$program" $libraries || { bad "$name"; continue; }
    "$program" $(words "examples/$name.c" "$name") \
        >"$program.out" 2>"$program.err" </dev/null
    status=$?
    promised "examples/$name.c" >"$program.says"
    if [ $status -eq 0 ] && alike "$program.says" "$program.out"; then
        ok
        echo "$name: prints what it says"
    else
        bad "$name (exit $status); promised, then printed:"
        cat "$program.says" "$program.out" "$program.err"
    fi
done
counted
