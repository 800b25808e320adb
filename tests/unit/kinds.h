/* The calls for the three kinds of keys: bytes (0), integers (1) and hashes (2).
   For an add or a lookup `call` of any kind of filter, ONE calls it with a key,
   and MANY with `count` keys at once. */
#ifndef KINDS_H
#define KINDS_H

#define ONE(call, filter, kind, key, integer, hash) \
    ((kind) == 0 ? call(filter, (key).data, (key).size) \
     : (kind) == 1 ? call##_u64(filter, integer) : call##_hash(filter, hash))
#define MANY(call, filter, kind, keys, integers, hashes, count, results) \
    ((kind) == 0 ? call##_many(filter, keys, count, results) \
     : (kind) == 1 ? call##_many_u64(filter, integers, count, results) \
                   : call##_many_hash(filter, hashes, count, results))

#endif
