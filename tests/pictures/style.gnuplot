# Loaded by the other files: no background, and tones between black and white, so
# that the pictures are legible on a light page and on a dark one.
tone = '#7d8590'
set terminal svg size 880,400 dynamic font 'system-ui, sans-serif,15' \
    linewidth 1.1 dashlength 0.7
set border 3 lc rgb tone
set tics nomirror textcolor rgb tone
set grid lc rgb tone lw 0.35
set key textcolor rgb tone reverse Left samplen 1.6
set title textcolor rgb tone font ',17'
set xlabel textcolor rgb tone
set ylabel textcolor rgb tone
blue = '#2f7fdb'
orange = '#cc6a14'
violet = '#9a62d8'
# The caption says in small letters what was run, and where.
set bmargin 4.4
set label 1 caption at screen 0.985,0.025 right font ',11' textcolor rgb tone
