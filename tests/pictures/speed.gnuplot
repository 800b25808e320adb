# Run by tests/pictures/run.sh: ns a lookup against n, of the rows that `make
# bench` wrote. data, caption: given. The best of each point counts.
load 'tests/pictures/style.gnuplot'
set terminal svg size 880,400
set logscale xy
set xrange [700:5e7]
set yrange [1:1000]
set format x '10^{%L}'
set xlabel 'keys, n' offset 0,0.4
rows(who, what) = sprintf("< awk -F'\t' '$5 ~ /^%s$/ && $6 == \"%s\" \
    && (!($3 in ns) || $7 < ns[$3]) { ns[$3] = $7 } \
    END { for (n in ns) print n, ns[n] }' %s | sort -g", who, what, data)
names = "libbloom classic 'classic many' blocked 'blocked many' floor.*"
set linetype 1 lc rgb orange
set linetype 2 lc rgb violet
set linetype 3 lc rgb violet dt 2
set linetype 4 lc rgb blue
set linetype 5 lc rgb blue dt 2
set linetype 6 lc rgb tone
set multiplot layout 1,2
do for [what in "absent present"] {
    set title what eq 'absent' ? '{/:Bold ns to ask for a key that is not in}' \
        : '{/:Bold ns for one that is in}'
    if (what eq 'present') { unset key; unset label 1 } else { set key top left font ",11" }
    plot for [i = 1:6] rows(word(names, i), what) using 1:2 with linespoints \
        lt i lw 2 pt 7 ps 0.4 title i == 6 ? 'floor: hash, one line' \
        : word(names, i)
}
