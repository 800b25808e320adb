/* To size a Parquet filter afterwards, as the writers of arrow (C++) and
   arrow-rs have done since 2026: it is folded in half as often as the target
   allows. For that a rate is taken from the fill, the share of bits that are
   set in all blocks: after j folds it is about 1 - (1 - fill)^(2^j), and its 8th
   power is the rate. A filter that misses the target stays as it is. */
#ifndef BLOOM_PARQUET_FOLD_H
#define BLOOM_PARQUET_FOLD_H

static void fold_to_target(bloom *b, double target)
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
    bloom_fold(b, by);
}
#endif
