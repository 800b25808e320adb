# Run by run.sh: the measured false-positive rates, divided by the planned ones,
# over n. run.sh sets caption, and data, the file that `make promise` wrote. For
# each n a bar goes from the lowest result of three planned rates to the highest.
load 'tests/pictures/style.gnuplot'
set terminal svg size 880,460
set logscale x
set xrange [0.5:3e6]
set yrange [0:1.2]
set format x '10^{%L}'
set title '{/:Bold Measured false-positive rate, divided by the planned one}'
set xlabel 'keys, n; p = 0.01, 10^{-6} and 10^{-9}' offset 0,0.4
set key bottom right
set object 1 rectangle from graph 0, first 0 to graph 1, first 1 \
    fillcolor rgb blue fillstyle solid 0.07 noborder behind
# Rows of n, shifted by `aside`, and the mean, lowest and highest rate
rows(is, aside) = "< awk -F'\t' '(" . is . ") && $1 ~ /^10*$/ && \
    ($2 == 0.01 || $2 == 1e-6 || $2 == 1e-9) { \
    n[$1]++; sum[$1] += $3; if (n[$1] == 1 || $3 < low[$1]) low[$1] = $3; \
    if (n[$1] == 1 || $3 > high[$1]) high[$1] = $3 } END { for (i in n) \
    print i * " . aside . ", sum[i] / n[i], low[i], high[i] }' " . data \
    . " | sort -g"
set errorbars 0
set style data yerrorbars
plot 1 with lines lc rgb tone lw 1.2 notitle, \
    rows('$6 == "chain"', '.76') lc rgb tone lw 2 pt 7 ps 0.5 \
        title 'scalable (with reserve)', \
    rows('$5 == "counting"', '.92') lc rgb violet lw 2 pt 7 ps 0.5 \
        title 'counting', \
    rows('$5 == "blocked" && $6 != "chain"', '1.1') lc rgb orange lw 2 pt 7 \
        ps 0.5 title 'blocked', \
    rows('$5 == "classic" && $6 != "chain"', '1.32') lc rgb blue lw 2 pt 7 \
        ps 0.5 title 'classic'
