# bash completion for the bloom command; `make install` installs it. It takes the
# verbs and options from the command's own help.

_bloom() {      # _bloom COMMAND WORD BEFORE, as bash calls it
    local words IFS=$'\n'
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] || [ "$COMP_CWORD $3" = '2 help' ]; then
        words=$("$1" --help | sed -n '/^Examples/q
            s/^  bloom \([a-z]*\)  *[^ ].*  .*/\1/p')
        [ "$COMP_CWORD" = 2 ] || words+=$'\nhelp\n--help\n--version'
        COMPREPLY=($(compgen -W "$words" -- "$2"))
        return
    fi
    words=$("$1" help "${COMP_WORDS[1]}" 2>/dev/null)
    case $3 in
    -f) ;;                                              # a file, see below
    -l) words='classic blocked counting' IFS=' ' ;;
    -w) words='64 32' IFS=' ' ;;
    -*) grep -q -e "^  $3 [^ ]" <<<"$words" && return ;;    # another value
    esac
    case $3/$2 in
    -[lw]/*) COMPREPLY=($(compgen -W "$words" -- "$2")) ;;
    */-*) words=$(sed -n 's/^  \(-[^ ]*\) .*/\1/p' <<<"$words")
          COMPREPLY=($(compgen -W "$words" -- "$2")) ;;
    *)    compopt -o filenames 2>/dev/null
          COMPREPLY=($(compgen -f -- "$2")) ;;
    esac
}
complete -F _bloom bloom
