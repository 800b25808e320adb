# Run by run.sh: measured rates over what was asked for, by n.
# data, large, window (what make promise and make promise-large wrote), caption:
# given. Bars are four sigma.
load 'tests/wide/pictures/style.gnuplot'
set terminal svg size 880,460
set logscale x
set xrange [0.5:1e12]
set yrange [0:1.2]
set format x '10^{%L}'
set title '{/:Bold Rates: what came out, as a part of what was asked for}'
set xlabel 'keys, n (side by side: p = 0.01, 10^{-6}, 10^{-9}; then 10^{-4}, 10^{-8} too)' \
    offset 0,0.4
set key bottom right
set object 1 rectangle from graph 0, first 0 to graph 1, first 1 \
    fillcolor rgb blue fillstyle solid 0.07 noborder behind
# n moved aside by p and layout, the rate, its error; powers of ten only
few(is, aside) = "< awk -F'\t' '(" . is . ") && $1 ~ /^10*$/ && ($2 == 0.01 || \
    $2 == 1e-6 || $2 == 1e-9) { print $1 / $2 ^ .06 * " . aside \
    . ", $3, $4 }' " . data
much(is, aside) = "< awk '!/#/ && $2 ~ /" . is . "/ { i = $8 ~ /-/ ? 11 : 8; \
    print $1 / $6 ^ .06 * " . aside . ", $i, $(i + 1) }' " . large
beyond = "< awk '/ GB, k/ { print $5 / substr($8, 1, length($8) - 1) ^ .06, \
    $12, substr($13, 3) }' " . window
set errorbars 0
set style line 1 lc rgb tone lw 0.8 pt 7 ps 0.35
set style line 2 lc rgb violet lw 0.8 pt 7 ps 0.35
set style line 3 lc rgb orange lw 0.8 pt 7 ps 0.35
set style line 4 lc rgb blue lw 0.8 pt 7 ps 0.35
set style data yerrorbars
plot 1 with lines lc rgb tone lw 1.2 notitle, \
    few('$6 == "chain"', '.8') ls 1 title 'chains', \
    much('[+]', '.8') ls 1 notitle, \
    few('$5 == "counting"', '.9') ls 2 title 'counting', \
    much('counting', '.9') ls 2 notitle, \
    few('$5 == "blocked" && $6 != "chain"', '1') ls 3 title 'blocked', \
    much('blocked$', '1') ls 3 notitle, beyond ls 3 notitle, \
    few('$5 == "classic" && $6 != "chain"', '1.1') ls 4 title 'classic', \
    much('classic$', '1.1') ls 4 notitle
