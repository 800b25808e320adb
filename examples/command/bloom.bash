# bash completion for the bloom command; `make install` installs it

_bloom() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}
    local verb=${COMP_WORDS[1]} options key='-z -k -t -i --crlf --trim'
    local plan='-n -p -l -w -s'
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ] ||
       { [ "$COMP_CWORD" = 2 ] && [ "$verb" = help ]; }; then
        options='uniq build add check info merge fold dump help'
        [ "$COMP_CWORD" = 2 ] || options="$options --help --version"
        COMPREPLY=($(compgen -W "$options" -- "$word"))
        return
    fi
    case $before in
    -l) COMPREPLY=($(compgen -W 'classic blocked counting' -- "$word")) ;;
    -w) COMPREPLY=($(compgen -W '64 32' -- "$word")) ;;
    -n | -p | -s | -k | -t | -j | --save | --last | --for | --by) ;;
    *)  case $verb in
        uniq)  options="-f $plan --fixed --last --for --save --no-wait -d -c"
               options="$options $key" ;;
        build) options="$plan --fold --foldable --no-wait $key -j" ;;
        add)   options="--no-wait $key" ;;
        check) options="-v -c -q $key -j" ;;
        merge) options='-p --fold --no-wait' ;;
        fold)  options='-n -p --by --no-wait' ;;
        esac
        case $word in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        *)  compopt -o filenames 2>/dev/null
            local IFS=$'\n'
            COMPREPLY=($(compgen -f -- "$word")) ;;
        esac ;;
    esac
}
complete -F _bloom bloom
