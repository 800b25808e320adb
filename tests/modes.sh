# Reads modes.txt, the list of the modes of bloom.h. Scripts that work in the top
# folder read this file by ". tests/modes.sh".

modes() {       # modes TOOL: the names of the modes that this target uses
    sed '/^#/d' tests/modes.txt | awk -F ' *[|] *' -v tool="$1" '
        tool == "test" ? $2 != "-" : " " $3 " " ~ " " tool " " { print $1 }'
}
mode() {        # mode NAME: sets program, options and test_options
    IFS='|' read -r name program tools options test_options for <<LINE
$(grep "^$1 *|" tests/modes.txt)
LINE
    [ -n "$name" ] && return
    echo "tests/modes.txt has no mode $1"
    return 1
}
lacks() {       # lacks NAME: what a compiler lacks for this mode, or nothing
    mode "$1" || return
    case $options in *BLOOM_ATOMIC*)
        echo __GCC_ATOMIC_CHAR_LOCK_FREE | ${CC:-cc} -E - 2>/dev/null |
            grep -q -x 2 || echo "${CC:-cc} has no atomic operations" ;;
    esac
    case $program in *c++* | *mixed*)
        echo 'int main() { return 0; }' >build/c++.cpp &&
            ${CXX:-c++} build/c++.cpp -o build/c++ 2>/dev/null ||
            echo "no C++ compiler; Debian package g++" ;;
    esac
}
