# Run by tests/pictures/run.sh: ns a lookup against n, of the rows that `make
# bench` wrote. data, caption, build: given. Of rows of one name the least counts.
load 'tests/pictures/style.gnuplot'
set terminal svg size 880,440
set logscale xy
set xrange [700:5e7]
set yrange [0.5:400]
set format x '10^{%L}'
set xlabel 'keys, n' offset 0,0.4
rows(who, how) = sprintf("< awk -F'\t' '$1 == \"%s\" && $2 == \"u64\" \
    && $4 == 0.01 && $5 == \"%s\" && $6 ~ /%s/ && $7 == \"mixed\" \
    && (!($3 in ns) || $8 < ns[$3]) { ns[$3] = $8 } \
    END { for (n in ns) print n, ns[n] }' %s | sort -g", build, who, how, data)
there(who) = int(system(sprintf("cut -f 5 %s | grep -cx '%s'", data, who)))
names = "libbloom classic 'boost classic, its hash' \
    blocked 'boost blocked, its hash' libfilter floor"
titles = "libbloom classic 'boost::bloom' blocked 'boost::bloom, blocked' \
    libfilter 'floor: hash, a random line'"
set linetype 1 lc rgb orange lw 2
set linetype 2 lc rgb violet lw 2.6
set linetype 3 lc rgb violet dt 2 lw 1.4
set linetype 4 lc rgb blue lw 2.6
set linetype 5 lc rgb blue dt 2 lw 1.4
set linetype 6 lc rgb blue dt 4 lw 1.4
set linetype 7 lc rgb tone lw 1.4
set multiplot layout 1,2
do for [how in "single many"] {
    set title how eq 'single' ? '{/:Bold ns a lookup, one key a call}' \
        : '{/:Bold ns a key, 1024 in a call}'
    if (how eq 'many') { unset key; unset label 1 } else { set key top left font ",11" }
    plot for [i = 1:7] there(word(names, i)) ? rows(word(names, i), \
        i == 7 ? '' : how) : '/dev/null' using 1:2 with linespoints lt i pt 7 \
        ps 0.4 title there(word(names, i)) ? word(titles, i) : ''
}
