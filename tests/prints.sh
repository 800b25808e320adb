# Builds and runs each of these examples, and compares its output with the
# comment at its top. There, the lines after "Prints:" that are indented by 7
# spaces are the expected output; "..." stands for any text, such as a time. If
# the line of "Prints:" begins with the example's name, the words between the
# two are its arguments.
# usage: prints.sh FILE.c[:LIBRARY...] ...
. tests/helpers.sh
each_must_end

# promised FILE: prints the expected lines as anchored regular expressions
promised() {
    awk '/Prints:/ { on = 1; next }
         on && /^       / { print substr($0, 8); next }
         on { exit }' "$1" |
        sed -e 's/ *\*\/$//' -e 's/[][\.*^$(){}|+?]/\\&/g' -e 's/\\\.\\\.\\\./.*/g' \
            -e 's/^/^/' -e 's/$/$/'
}

# words FILE NAME: prints the arguments of the example
words() {
    awk -v name="$2" '/Prints:/ { sub(/ *Prints:.*/, "")
        if ($1 == name) { $1 = ""; print } exit }' "$1"
}

# alike PATTERNS OUTPUT: is there one line for each pattern, and does it match?
alike() {
    [ -s "$1" ] && [ "$(wc -l <"$1")" -eq "$(wc -l <"$2")" ] || return 1
    awk 'NR == FNR { says[FNR] = $0; next } $0 !~ says[FNR] { exit 1 }' \
        "$1" "$2"
}

for example in "$@"; do
    source=${example%%:*}
    libraries=
    [ "$source" = "$example" ] || libraries=$(echo "${example#*:}" | tr : ' ')
    name=$(basename "$source" .c)
    program=build/$name
    ${CC:-cc} -std=c99 -O1 -Wall -Wextra -pedantic -I. "$source" \
        -o "$program" $libraries || { bad "$source"; continue; }
    "$program" $(words "$source" "$name") \
        >"$program.out" 2>"$program.err" </dev/null
    status=$?
    promised "$source" >"$program.says"
    if [ $status -eq 0 ] && alike "$program.says" "$program.out"; then
        ok
        echo "$source: output as in its comment"
    else
        bad "$source (exit $status); expected, then printed:"
        cat "$program.says" "$program.out" "$program.err"
    fi
done
counted
