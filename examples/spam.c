/* spam: a block list of mail addresses, stored as a filter. The filter is built
   once, and saved with a checksum, so that damage is found when it is loaded.
   Then the sender of each mail is looked up in it. No spam gets through, but
   one good sender in a thousand is a false positive and is blocked as well.
   When such a sender complains, the address goes on a small exact allow list.

   usage: spam                           runs the demonstration
          spam LIST [ALLOW] < addresses  prints the addresses that may pass
   LIST is a file of addresses to block, one per line. ALLOW is a file of
   addresses that may pass even if they are false positives.

   Prints:
       block list:    100000 addresses, saved in 179 KB
       one bit wrong: refused, as it is damaged
       as it was:     loaded
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

static void flip_bit(const char *name, long at)
{
    FILE *file = fopen(name, "r+b");
    int c;
    need(file != NULL, name, NULL);
    need(fseek(file, at, SEEK_SET) == 0 && (c = getc(file)) != EOF
         && fseek(file, at, SEEK_SET) == 0 && putc(c ^ 1, file) != EOF
         && fclose(file) == 0, name, NULL);
}

/* Loads the list as the program that receives the mail would. If a bit has
   changed, it must not be used: a 1 that became 0 would let spam through. */
static bloom *load(const char *name)
{
    int why;
    bloom *list = bloom_load(name, SIZE_MAX, &why);
    puts(why == 0 ? "loaded" : why == EBADMSG ? "refused, as it is damaged"
                                              : strerror(why));
    return list;
}

static int demonstrate(void)
{
    static const char name[] = "spam.bloom";
    bloom *list = build_bad();
    const size_t size = bloom_size(list);
    bool kept;
    errno = bloom_save(list, name);     /* seals it; a crash leaves no part */
    need(errno == 0, name, NULL);
    bloom_free(list);
    printf("block list:    %d addresses, saved in %u KB\n", BAD,
           (unsigned)(size / 1000));
    flip_bit(name, (long)size / 2);
    printf("one bit wrong: ");
    kept = load(name) == NULL;
    flip_bit(name, (long)size / 2);
    printf("as it was:     ");
    list = load(name);
    remove(name);
    kept = kept && list && receive(list);
    bloom_free(list);
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
