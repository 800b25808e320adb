/* crawler: has this URL been seen? Nobody knows before a crawl how many URLs
   there are. So they go into a scalable Bloom filter (bloom_chain.h), which
   grows and keeps its false-positive rate p. This program crawls a made-up web
   full of cycles, and compares the filter with an exact record of the pages. A
   false positive is a page missed; no page is fetched twice.

   usage: crawler          the demonstration
          crawler LIST     print the lines of LIST, each only the first time

   Prints:
       links followed: 1598744
       pages found:    200000
       pages fetched:  199843, twice: 0
       pages missed:   157, where p = 0.001 makes 200, give or take chance
       chain:          made for 1000, now 8 links, rate 0.00085
       memory:         723 KB; of an exact set, the text alone: 8666 KB */
#define BLOOM_IMPLEMENTATION
#include "companions/bloom_chain.h"
#define PROGRAM "crawler"
#include "common/text.h"

#define PAGES 200000u                   /* of the made web */
#define FIRST_N 1000                    /* the chain is made for so many */

static const double p = 0.001;

/* ---- The made web ------------------------------------------------------- */

static void make_url(char url[64], uint32_t page)
{
    snprintf(url, 64, "https://www%u.example/articles/%u.html",
             (unsigned)(page % 997), (unsigned)page);
}

/* Eight links: home, the next page, the one before, and five anywhere. */
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
    uint32_t frontier[PAGES];           /* a queue: pages met, to be fetched */
    uint32_t head, tail;
    bool met[PAGES];                    /* the exact record, and what it says */
    uint32_t links, found, missed, twice;
    size_t text;                        /* bytes of all URLs that were met */
} crawl;

/* A link leads to `page`. A crawler needs no more than the lines with `seen`
   and the frontier; the rest counts what the chain gets wrong. */
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

/* 0, unless a page was fetched twice or the misses are more than p plus 4
   standard deviations (16 variances) of pure chance. */
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
    printf("pages missed:   %u, where p = %g makes %.0f, give or take chance\n",
           (unsigned)crawl.missed, p, allowed);
    printf("chain:          made for %d, now %u links, rate %.5f\n", FIRST_N,
           bloom_chain_links(seen), rate);
    printf("memory:         %lu KB; of an exact set, the text alone: %lu KB\n",
           (unsigned long)bloom_chain_size(seen) / 1000, (unsigned long)crawl.text / 1000);
    return crawl.twice > 0 || (over > 0 && over * over > 16 * allowed);
}

/* ---- Real data ---------------------------------------------------------- */

static void print_new(bloom_chain *seen, const char *name)
{
    char line[8192];
    FILE *in = open_text(name);
    while (read_line(in, name, line, sizeof line))
        if (bloom_chain_add(seen, line, strlen(line)))
            puts(line);
    fclose(in);
}

int main(int argc, char **argv)
{
    bloom_chain *seen = bloom_chain_new(FIRST_N, p, BLOOM_CLASSIC);
    int status = 0;
    need(seen != NULL, "chain", "out of memory");
    need(argc <= 2, argv[2], "one LIST at most");
    if (argc == 2)
        print_new(seen, argv[1]);
    else
        status = demonstrate(seen);
    bloom_chain_free(seen);
    end_output();
    return status;
}
