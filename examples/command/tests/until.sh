# until_ COMMAND...: waits until it succeeds, at most five minutes. command.sh and
# crash.sh read this file.
until_() {
    tries=0
    until "$@" || [ $tries = 15000 ]; do sleep 0.02; tries=$((tries + 1)); done
}
