# Run by `make interop`: runs the examples that need other software. If software is
# missing, prints the name of its Debian package and fails.
. tests/count.sh
need gnuplot gnuplot-nox
enough

status=0
sh tests/prints.sh examples/class/tables.c:-lm || status=1
build/tables build/tables.svg >build/tables.out || status=1
if grep -q '<svg' build/tables.svg; then
    echo "tables: drew build/tables.svg"
else
    echo "tables: drew no chart"
    status=1
fi
exit $status
