# Sourced. need COMMAND WHAT PACKAGE: if the command fails, says what $target needs
# and where it is, and sets status to 1.
status=0
need() {
    eval "$1" >/dev/null 2>&1 && return
    echo "$target needs $2: apt-get install $3"
    status=1
}
