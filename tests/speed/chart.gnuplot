# Run by tests/speed/run.sh: the chart of ns a lookup against n. `sweep` names the
# file of rows, `svg` the chart. Of the two ways to the floor the faster counts.
set terminal svg size 960,520 font 'sans,14' background 'white'
set output svg
set logscale xy
set xrange [700:5e7]
set yrange [1:1000]
set format x '10^{%L}'
set grid lc rgb '#cccccc'
set xlabel 'keys in the filter'
set key top left reverse Left samplen 2
rows(who, what) = sprintf("< awk -F'\t' '$5 ~ /^%s$/ && $6 == \"%s\" \
    && (!($3 in ns) || $7 < ns[$3]) { ns[$3] = $7 } \
    END { for (n in ns) print n, ns[n] }' %s | sort -g", who, what, sweep)
names = "libbloom classic 'classic many' blocked 'blocked many' floor.*"
set linetype 1 lc rgb '#b22222'
set linetype 2 lc rgb '#e69f00'
set linetype 3 lc rgb '#e69f00' dt 2
set linetype 4 lc rgb '#0057b7'
set linetype 5 lc rgb '#0057b7' dt 2
set linetype 6 lc rgb '#808080'
set multiplot layout 1,2
do for [what in "absent present"] {
    set title what eq 'absent' ? 'keys that are not in' : 'keys that are in'
    if (what eq 'present') { unset key }
    set ylabel what eq 'absent' ? 'ns a lookup (u64 keys, rate 1%)' : ''
    plot for [i = 1:6] rows(word(names, i), what) using 1:2 with linespoints \
        lt i lw 2 pt 7 ps 0.5 \
        title i == 6 ? 'floor: hash, one line' : word(names, i)
}
