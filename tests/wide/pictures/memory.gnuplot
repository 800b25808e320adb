# Run by run.sh: bits a key against p. data, caption: given.
load 'tests/wide/pictures/style.gnuplot'
set logscale x
set xrange [0.5:8e-13]
set yrange [0:80]
set format x '10^{%L}'
set title '{/:Bold Memory: bits a key}'
set xlabel 'rate of false “maybe”s, p' offset 0,0.4
set key top left
rows(layout) = sprintf("< awk -F'\t' '$3 == \"%s\"' %s", layout, data)
plot rows('counting') using 2:4 with lines lc rgb violet lw 1.6 title 'counting', \
    rows('blocked') using 2:4 with lines lc rgb orange lw 2.2 title 'blocked', \
    rows('classic') using 2:4 with lines lc rgb blue lw 3 title 'classic'
