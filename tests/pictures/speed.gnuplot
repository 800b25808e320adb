# Run by run.sh, which sets data, caption and build: ns per lookup over n, from the
# rows that `make bench` wrote. If several rows have the same name, the least counts.
load 'tests/pictures/style.gnuplot'
set terminal svg size 880,440
set logscale xy
set xrange [700:5e7]
set yrange [0.5:1000]
set format x '10^{%L}'
set xlabel 'keys, n' offset 0,0.4
rows(who, how) = sprintf("< awk -F'\t' '$1 == \"%s\" && $2 == \"u64\" \
    && $4 == 0.01 && $5 == \"%s\" && $6 ~ /%s/ && $7 == \"mixed\" \
    && (!($3 in ns) || $8 < ns[$3]) { ns[$3] = $8 } \
    END { for (n in ns) print n, ns[n] }' %s | sort -g", build, who, how, data)
# The numbers of the names that have rows
there(how) = system(sprintf("awk -F'\t' -v all=\"%s\" 'BEGIN { \
    n = split(all, name, \";\") } $1 == \"%s\" && ($6 == \"%s\" || $5 == \"floor\") \
    { seen[$5] } END { for (i = 1; i <= n; i++) if (name[i] in seen) print i }' %s", \
    names, build, how, data))
names = 'libbloom;classic;boost classic, its hash;blocked;' \
    .'boost blocked, its hash;libfilter;floor'
name(i) = system(sprintf("echo '%s' | cut -d ';' -f %s", names, i))
title_of(name) = name eq 'floor' ? 'floor: hash, one cache line' : name
set linetype 1 lc rgb orange lw 2
set linetype 2 lc rgb violet lw 2.6
set linetype 3 lc rgb violet dt 2 lw 1.4
set linetype 4 lc rgb blue lw 2.6
set linetype 5 lc rgb blue dt 2 lw 1.4
set linetype 6 lc rgb blue dt 4 lw 1.4
set linetype 7 lc rgb tone lw 1.4
set multiplot layout 1,2
do for [how in "single many"] {
    set title how eq 'single' ? '{/:Bold ns per lookup, one key per call}' \
        : '{/:Bold ns per lookup, 1024 keys per call}'
    if (how eq 'many') { unset key; unset label 1 } else { set key top left font ",11" }
    plot for [i in there(how)] rows(name(i), name(i) eq 'floor' ? '' : how) \
        using 1:2 with linespoints lt int(i) pt 7 ps 0.4 title title_of(name(i))
}
