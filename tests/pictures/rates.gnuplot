# Run by run.sh, which sets data and caption: the measured false-positive rates of
# three rules, as multiples of the planned rate, over n.
load 'tests/pictures/style.gnuplot'
set logscale xy
set xrange [0.9:1.2e5]
set yrange [0.1:400]
set xtics ('1' 1, '10' 10, '100' 100, '1000' 1000, '10^4' 1e4, '10^5' 1e5)
set ytics ('1/10' 0.1, 'as planned' 1, '10 times' 10, '100 times' 100)
set title '{/:Bold Measured false-positive rate, if 1 in 10,000 is planned}'
set xlabel 'keys, n' offset 0,0.4
set key top right
rows(rule) = sprintf("< awk -F'\t' '$3 == \"%s\"' %s", rule, data)
set object 1 rectangle from graph 0, first 0.1 to graph 1, first 1 \
    fillcolor rgb blue fillstyle solid 0.09 noborder behind
plot 1 lc rgb tone lw 1.2 notitle, \
    rows('guava') using 2:4 with linespoints lc rgb orange lw 2.2 pt 7 ps 0.5 \
        title 'usual rule: textbook size, (h1 + i h2) mod m', \
    rows('constant') using 2:4 with linespoints lc rgb violet lw 1.6 pt 5 ps 0.4 \
        title 'textbook size, constant step', \
    rows('bloom.h') using 2:4 with linespoints lc rgb blue lw 3 pt 7 ps 0.6 \
        title 'bloom.h'
