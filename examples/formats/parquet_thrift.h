/* parquet_thrift.h: reads Thrift's compact protocol, in which Parquet stores
   its metadata; part of parquet.c. There, check(good, why) ends the program
   unless `good`, and found() takes the values. */
#ifndef BLOOM_PARQUET_THRIFT_H
#define BLOOM_PARQUET_THRIFT_H

/* Files may come from strangers, so nothing is read past the end of the
   metadata. The place of a value has the numbers of the fields that lead to it,
   8 bits each: 0x04010E is field 14 in field 1 of field 4. Field numbers above
   254, such as an extension's 32767, count as 255. Elements of a list have the
   place of the list. */

enum { BYTE = 3, I64 = 6, DOUBLE, BINARY, LIST, STRUCT = 12 };

typedef struct thrift { const unsigned char *at, *end; } thrift;

/* Called for each integer and bool, with bytes NULL; for each string, of
   `number` bytes; and at the end of each struct, with 0 and NULL. */
static void found(uint64_t place, int64_t number, const unsigned char *bytes);

/* The next `count` bytes */
static const unsigned char *take(thrift *t, uint64_t count)
{
    const unsigned char *from = t->at;
    check(count <= (uint64_t)(t->end - from), "its metadata ends too early");
    t->at += count;
    return from;
}

static uint64_t varint(thrift *t)
{
    uint64_t x = 0, part = 128;
    unsigned shift;
    for (shift = 0; part & 128; shift += 7) {
        check(shift < 64, "its metadata has an impossible number");
        part = *take(t, 1);
        x |= (part & 127) << shift;
    }
    return x;
}

/* A signed number: the varints 0, 1, 2, 3, 4 .. stand for 0, -1, 1, -2, 2 .. */
static int64_t number(thrift *t)
{
    uint64_t x = varint(t);
    return x & 1 ? -(int64_t)(x >> 1) - 1 : (int64_t)(x >> 1);
}

static void walk(thrift *t, int type, uint64_t place);

static void walk_struct(thrift *t, uint64_t place)
{
    uint64_t at;
    int64_t id = 0;
    int byte;
    check(place >> 56 == 0, "its metadata is too deep");
    while ((byte = *take(t, 1)) != 0) {
        id = byte >> 4 ? id + (byte >> 4) : number(t);
        check(id > 0 && id < 32768, "its metadata has an impossible field");
        at = place << 8 | (id < 255 ? (uint64_t)id : 255);
        if ((byte & 15) < BYTE)         /* a bool: its type is its value */
            found(at, (byte & 15) == 1, NULL);
        else
            walk(t, byte & 15, at);
    }
    found(place, 0, NULL);
}

static void walk(thrift *t, int type, uint64_t place)
{
    uint64_t count;
    int byte;
    if (type <= BYTE) {                 /* or a bool in a list */
        found(place, *take(t, 1), NULL);
    } else if (type <= I64) {
        found(place, number(t), NULL);
    } else if (type == DOUBLE) {
        take(t, 8);
    } else if (type == BINARY) {
        count = varint(t);
        found(place, (int64_t)count, take(t, count));
    } else if (type == LIST) {          /* An element has at least one byte, so
                                           a wrong count ends in take(). */
        byte = *take(t, 1);
        count = byte >> 4 == 15 ? varint(t) : (uint64_t)(byte >> 4);
        check((byte & 15) != LIST, "its metadata has lists of lists");
        for (; count > 0; count--)
            walk(t, byte & 15, place);
    } else {
        check(type == STRUCT, "its metadata has an unknown type");
        walk_struct(t, place);
    }
}

#endif
