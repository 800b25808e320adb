/* spam: a block list of mail addresses, stored as a filter. The filter is built
   once, sealed with a checksum, and checked for damage before it is used. Then
   the sender of each mail is looked up in it. No spam gets through, but one
   good sender in a thousand is a false positive and is blocked as well. When
   such a sender complains, the address goes on a small exact allow list.

   usage: spam                           runs the demonstration
          spam LIST [ALLOW] < addresses  prints the addresses that may pass
   LIST is a file of addresses to block, one per line. ALLOW is a file of
   addresses that may pass even if they are false positives.

   Prints:
       block list:    100000 addresses, saved in 179 KB
       one bit wrong: corrupt: the seal does not match
       as it was:     ok
       spam:          500234 stopped, 0 passed
       good mail:     103 stopped, 499663 passed
       allow list:    103 of 100000 good senders; expected for p = 0.001: 100
       stopped twice: 0 of them */
#define BLOOM_IMPLEMENTATION
#include "companions/bloom_file.h"
#define PROGRAM "spam"
#include "need.h"

#define LINE 257                        /* an address of 254 bytes, \r\n, NUL */

static const double p = 0.001;

/* ---- The block list and the allow list ---------------------------------- */

/* Makes a filter of the lines of a file. Reads the file twice: to count its
   lines, and to add them. */
static bloom *build(FILE *in, const char *name)
{
    char line[LINE];
    uint64_t n = 0;
    bloom *list;
    while (read_text(in, name, line, LINE))
        n++;
    need(fseek(in, 0, SEEK_SET) == 0, name, NULL);
    list = bloom_new(n, p);
    need(list != NULL, name, "not enough memory for so many lines");
    while (read_text(in, name, line, LINE))
        bloom_add(list, line, strlen(line));
    return list;
}

static char white[4000][LINE];          /* the allow list, which is exact; it
                                           is searched only after a "maybe" */
static unsigned whites;

static void add_white(const char *address)
{
    need(whites < sizeof white / sizeof *white, "allow list",
         "full: make the block list with a smaller p");
    strcpy(white[whites++], address);
}

static bool is_blocked(const bloom *list, const char *address)
{
    unsigned i;
    if (!bloom_may_contain(list, address, strlen(address)))
        return false;
    for (i = 0; i < whites && strcmp(white[i], address) != 0; i++) { }
    return i == whites;
}

/* ---- The demonstration -------------------------------------------------- */

enum { BAD = 100000, GOOD = 100000, MAILS = 1000000 };

/* The numbers below BAD are bad senders, so that the right answer is known
   without a list. */
static void make_address(char address[LINE], unsigned number)
{
    sprintf(address, "%s.%u@mail%u.example", number < BAD ? "win" : "jo",
            number, number % 89);
}

static bloom *build_bad(void)
{
    char address[LINE];
    unsigned i;
    bloom *list = bloom_new(BAD, p);
    need(list != NULL, "block list", "not enough memory");
    for (i = 0; i < BAD; i++) {
        make_address(address, i);
        bloom_add(list, address, strlen(address));
    }
    bloom_seal(list);
    return list;
}

/* Receives mail from random senders. A good sender who is blocked complains at
   once. Returns true if no spam passed and no sender was blocked twice. */
static bool receive(const bloom *list)
{
    static bool unlucky[GOOD];
    unsigned i, count[2][2] = { { 0, 0 }, { 0, 0 } }, again = 0;
    uint64_t random = 1;
    char address[LINE];
    for (i = 0; i < MAILS; i++) {
        unsigned from = (unsigned)(random >> 33) % (BAD + GOOD);
        bool good = from >= BAD, blocked;
        random = random * 6364136223846793005u + 1442695040888963407u;
        make_address(address, from);
        blocked = is_blocked(list, address);
        count[good][blocked]++;
        if (good && blocked) {
            again += unlucky[from - BAD];
            unlucky[from - BAD] = true;
            add_white(address);
        }
    }
    printf("spam:          %u stopped, %u passed\n", count[0][1], count[0][0]);
    printf("good mail:     %u stopped, %u passed\n", count[1][1], count[1][0]);
    printf("allow list:    %u of %d good senders; expected for p = %g: %.0f\n",
           whites, GOOD, p, p * GOOD);
    printf("stopped twice: %u of them\n", again);
    return count[0][0] == 0 && again == 0;
}

/* May this image from a disk or a network be used? If a bit has changed, it may
   not: a 1 that became 0 would let spam through. */
static bloom_error check(const void *image, size_t size)
{
    bloom_error error;
    const bloom *list = bloom_view(image, size, &error);
    return list ? bloom_verify(list) : error;
}

/* Saves the list, so that a crash leaves the old file or the new one, and loads
   it as another program would, which uses it where it lies. */
static unsigned char *save_and_load(const char *name, size_t *size)
{
    bloom *list = build_bad();
    unsigned char *image;
    errno = bloom_file_save(name, list, bloom_size(list));
    need(errno == 0, name, NULL);
    bloom_free(list);
    image = (unsigned char *)bloom_file_load(name, SIZE_MAX, size);
    need(image != NULL, name, NULL);
    remove(name);
    return image;
}

static int demonstrate(void)
{
    size_t size;
    unsigned char *image = save_and_load("spam.bloom", &size);
    const bloom *list;
    bool kept;
    printf("block list:    %d addresses, saved in %u KB\n", BAD,
           (unsigned)size / 1000);
    image[size / 2] ^= 1;
    printf("one bit wrong: %s\n", bloom_error_text(check(image, size)));
    image[size / 2] ^= 1;
    printf("as it was:     %s\n", bloom_error_text(check(image, size)));
    list = bloom_view(image, size, NULL);
    kept = check(image, size) == BLOOM_OK && receive(list);
    bloom_file_free(image);
    return !kept;
}

int main(int argc, char **argv)
{
    char line[LINE];
    bloom *list;
    if (argc == 1)
        return demonstrate();
    need(argc <= 3, argv[3], "give at most LIST and ALLOW");
    list = build(open_text(argv[1]), argv[1]);
    if (argc == 3) {
        FILE *in = open_text(argv[2]);
        while (read_text(in, argv[2], line, LINE))
            add_white(line);
    }
    while (read_text(stdin, "standard input", line, LINE))
        if (!is_blocked(list, line))
            puts(line);
    end_output();
    bloom_free(list);
    return 0;
}
