/* parquet_fold.h: sizes a Parquet filter after its keys were added, as the
   writers of arrow (C++) and arrow-rs have done since 2026. The filter is
   folded in half as often as the target rate allows. The rate is estimated from
   the fill, which is the share of set bits: after j folds, the fill is about
       1 - (1 - fill)^(2^j)
   and the rate is its 8th power. A filter that already misses the target is not
   changed. The result is that of bloom_fold. */
#ifndef BLOOM_PARQUET_FOLD_H
#define BLOOM_PARQUET_FOLD_H

static bool fold_to_target(bloom *b, double target)
{
    const uint64_t bits = bloom_plan_of(b).cells;
    double unset = 1 - (double)bloom_ones(b) / (double)bits, rate;
    uint64_t by = 1;
    for (; bits / 256 % (2 * by) == 0; by *= 2) {
        unset *= unset;
        rate = (1 - unset) * (1 - unset);
        rate *= rate;
        if (rate * rate > target)
            break;
    }
    return bloom_fold(b, by);
}
#endif
