/* spam: a block list of mail addresses, built once and sealed, checked for
   damage before it is used, then asked about each mail. No spam gets through;
   a good sender in a thousand is unlucky: the filter says "maybe" to him. The
   first time that he complains he goes to a small exact white list.

   usage: spam                           the demonstration
          spam LIST [WHITE] < addresses  print the addresses that may pass
   LIST: a file of bad addresses, a line each; WHITE: of those that may pass.

   Prints:
       block list:    100000 addresses in 179 KB
       one bit wrong: corrupt: the seal does not match
       as it was:     ok
       spam:          500234 stopped, 0 passed
       good mails:    103 stopped, 499663 passed
       white list:    103 of 100000 good senders, where p = 0.001 makes 100
       stopped twice: 0 of them */
#define BLOOM_IMPLEMENTATION
#include "bloom.h"
#define PROGRAM "spam"
#include "common/text.h"

#define LINE 257                        /* an address of 254 bytes and \r\n */

static const double p = 0.001;

/* ---- Block list, white list, and the question --------------------------- */

/* The filter of a file's lines, read twice: to count them and to add them. */
static bloom *build(FILE *in, const char *name)
{
    char line[LINE];
    uint64_t n = 0;
    bloom *list;
    while (read_line(in, name, line, LINE))
        n++;
    need(fseek(in, 0, SEEK_SET) == 0, name, NULL);
    list = bloom_new(n, p);
    need(list != NULL, name, "too long for the memory");
    while (read_line(in, name, line, LINE))
        bloom_add(list, line, strlen(line));
    return list;
}

static char white[4000][LINE];          /* exact; asked only after a "maybe" */
static unsigned whites;

static void add_white(const char *address)
{
    need(whites < sizeof white / sizeof *white, "white list",
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

/* Numbers below BAD are bad: so the truth is known without any list. */
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
    need(list != NULL, "block list", "out of memory");
    for (i = 0; i < BAD; i++) {
        make_address(address, i);
        bloom_add(list, address, strlen(address));
    }
    bloom_seal(list);
    return list;
}

/* Mails from anyone; a good sender who is blocked complains at once. */
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
    printf("good mails:    %u stopped, %u passed\n", count[1][1], count[1][0]);
    printf("white list:    %u of %d good senders, where p = %g makes %.0f\n",
           whites, GOOD, p, p * GOOD);
    printf("stopped twice: %u of them\n", again);
    return count[0][0] == 0 && again == 0;
}

/* May an image from a disk or a network be used? Not if a bit has changed: a 1
   that became 0 would let spam through. */
static bloom_error check(const void *image, size_t size)
{
    bloom_error error;
    const bloom *list = bloom_view(image, size, &error);
    return list ? bloom_verify(list) : error;
}

static int demonstrate(void)
{
    bloom *list = build_bad();
    size_t size = bloom_size(list);
    unsigned char *image = (unsigned char *)list;   /* as fread would give it */
    bool kept;
    printf("block list:    %d addresses in %u KB\n", BAD,
           (unsigned)size / 1000);
    image[size / 2] ^= 1;
    printf("one bit wrong: %s\n", bloom_error_text(check(image, size)));
    image[size / 2] ^= 1;
    printf("as it was:     %s\n", bloom_error_text(check(image, size)));
    kept = check(image, size) == BLOOM_OK && receive(list);
    bloom_free(list);
    return !kept;
}

int main(int argc, char **argv)
{
    char line[LINE];
    bloom *list;
    if (argc == 1)
        return demonstrate();
    need(argc <= 3, argv[3], "at most LIST and WHITE");
    list = build(open_text(argv[1]), argv[1]);
    if (argc == 3) {
        FILE *in = open_text(argv[2]);
        while (read_line(in, argv[2], line, LINE))
            add_white(line);
    }
    while (read_line(stdin, "standard input", line, LINE))
        if (!is_blocked(list, line))
            puts(line);
    end_output();
    bloom_free(list);
    return 0;
}
