/* Runs the groups of libbloom's misc/test/test.c, each in a process of its own,
   because their assertions abort. groups NAME runs one of them. */
#ifndef TEST_C
#error "groups.c needs TEST_C, the path of libbloom's test.c"
#endif
#define main theirs
#include TEST_C
#undef main

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "";
    if (strcmp(name, "basic") == 0)
        return basic();
    if (strcmp(name, "bits") == 0)
        bits();
    else if (strcmp(name, "merge") == 0)
        merge_test(100000, 0.001, 500);
    else if (argc == 4)                 /* entries and rate of add_random */
        return add_random((unsigned)atoi(argv[2]), atof(argv[3]), atoi(argv[2]),
                          0, 1, 32, 1);
    else
        return 2;
    return 0;
}
