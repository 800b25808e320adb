/* crawler: has this URL been seen? Before a crawl, nobody knows how many URLs
   there are. So they go into a scalable Bloom filter (bloom_chain.h), which
   grows and keeps the false-positive rate p. This program crawls a made-up web
   full of cycles, and compares the filter with an exact record of the pages. A
   false positive makes the crawler miss a page. It never fetches a page twice.

   usage: crawler          runs the demonstration
          crawler LIST     prints each line of LIST the first time it occurs
          crawler LIST FILE  the same, but not the lines of earlier runs, which
                           FILE remembers. It is saved when all lines have been
                           printed, so a run that is killed is as if it had not
                           been: the next one prints its lines again.

   Prints:
       links followed: 1598736
       pages found:    200000
       pages fetched:  199842, twice: 0
       pages missed:   158; expected for p = 0.001: about 200
       chain:          planned for 1000 pages, now 8 links, rate 0.00087
       memory:         723 KB; the URLs of an exact set alone: 8666 KB */
#define BLOOM_IMPLEMENTATION
#include "companions/bloom_file.h"      /* first */
#include "companions/bloom_chain.h"
#define PROGRAM "crawler"
#include "need.h"

#define PAGES 200000u                   /* of the made-up web */
#define FIRST_N 1000                    /* pages that the first link takes */

static const double p = 0.001;

/* ---- The made-up web ---------------------------------------------------- */

static void make_url(char url[64], uint32_t page)
{
    snprintf(url, 64, "https://www%u.example/articles/%u.html",
             (unsigned)(page % 997), (unsigned)page);
}

/* Each page has eight links: to the home page, to the next page, to the page
   before, and to five pseudo-random ones. */
static uint32_t link_of(uint32_t page, uint32_t i)
{
    uint64_t x = (page * 8 + i) * 0x9e3779b97f4a7c15u;
    if (i < 3)
        return i == 0 ? 0 : (page + (i == 1 ? 1 : PAGES - 1)) % PAGES;
    x = (x ^ x >> 29) * 0xbf58476d1ce4e5b9u;
    return (uint32_t)((x ^ x >> 32) % PAGES);
}

/* ---- The crawl ---------------------------------------------------------- */

static struct crawl {
    uint32_t frontier[PAGES];           /* queue of the pages to fetch */
    uint32_t head, tail;
    bool met[PAGES];                    /* the exact record of pages */
    uint32_t links, found, missed, twice;
    size_t text;                        /* bytes of all different URLs */
} crawl;

/* Follows a link to `page`. A real crawler needs only the lines with `seen` and
   the frontier. The others count the mistakes of the chain. */
static void meet(bloom_chain *seen, uint32_t page)
{
    char url[64];
    bool is_new;
    make_url(url, page);
    is_new = bloom_chain_add(seen, url, strlen(url));
    if (is_new && crawl.tail < PAGES)
        crawl.frontier[crawl.tail++] = page;
    crawl.twice += is_new && crawl.met[page];
    if (!crawl.met[page]) {
        crawl.met[page] = true;
        crawl.found++;
        crawl.missed += !is_new;
        crawl.text += strlen(url) + 1;
    }
}

static void follow_links(bloom_chain *seen)
{
    uint32_t i;
    meet(seen, 0);                      /* home */
    while (crawl.head < crawl.tail) {
        uint32_t page = crawl.frontier[crawl.head++];
        for (i = 0; i < 8; i++, crawl.links++)
            meet(seen, link_of(page, i));
    }
}

/* Returns the exit status: 1 if a page was fetched twice, or if the misses are
   more than 4 standard deviations (16 variances) above the expected number. */
static int demonstrate(bloom_chain *seen)
{
    double allowed, over, rate;
    follow_links(seen);
    allowed = p * crawl.found;
    over = crawl.missed - allowed;
    rate = bloom_chain_fpr(seen);
    printf("links followed: %u\n", (unsigned)crawl.links);
    printf("pages found:    %u\n", (unsigned)crawl.found);
    printf("pages fetched:  %u, twice: %u\n", (unsigned)crawl.head,
           (unsigned)crawl.twice);
    printf("pages missed:   %u; expected for p = %g: about %.0f\n",
           (unsigned)crawl.missed, p, allowed);
    printf("chain:          planned for %d pages, now %u links, rate %.5f\n",
           FIRST_N, bloom_chain_links(seen), rate);
    printf("memory:         %lu KB; the URLs of an exact set alone: %lu KB\n",
           (unsigned long)bloom_chain_size(seen) / 1000,
           (unsigned long)crawl.text / 1000);
    return crawl.twice > 0 || (over > 0 && over * over > 16 * allowed);
}

/* ---- Real data ---------------------------------------------------------- */

static void print_new(bloom_chain *seen, const char *name)
{
    char line[8192];
    FILE *in = open_text(name);
    while (read_text(in, name, line, sizeof line))
        if (bloom_chain_add(seen, line, strlen(line)))
            puts(line);
    fclose(in);
}

/* The chain of earlier runs, or a new one if there is no such file */
static bloom_chain *load(const char *name)
{
    size_t size;
    bloom_error error;
    void *image = bloom_file_load(name, SIZE_MAX, &size);
    bloom_chain *seen;
    if (!image && errno == ENOENT)
        return bloom_chain_new(FIRST_N, p, BLOOM_CLASSIC);
    need(image != NULL, name, NULL);
    seen = bloom_chain_load(image, size, &error);
    bloom_file_free(image);
    if (seen)           /* a lost bit would make it fetch a page twice */
        error = bloom_chain_verify(seen);
    need(error == BLOOM_OK, name, bloom_error_text(error));
    return seen;
}

static void save(bloom_chain *seen, const char *name)
{
    const size_t size = bloom_chain_size(seen);
    void *image = malloc(size);
    need(image != NULL, name, NULL);
    bloom_chain_seal(seen);
    bloom_chain_write(seen, image);
    errno = bloom_file_save(name, image, size);
    need(errno == 0, name, NULL);
    free(image);
}

int main(int argc, char **argv)
{
    bloom_chain *seen = argc == 3 ? load(argv[2])
                                  : bloom_chain_new(FIRST_N, p, BLOOM_CLASSIC);
    int status = 0;
    need(seen != NULL, "filter", "not enough memory");
    need(argc <= 3, argv[3], "give at most LIST and FILE");
    if (argc == 1)
        status = demonstrate(seen);
    else
        print_new(seen, argv[1]);
    end_output();
    if (argc == 3)
        save(seen, argv[2]);
    bloom_chain_free(seen);
    return status;
}
