/* The door lock of rom.c as an Arduino sketch: put it into a folder lock, with
   bloom.h and revoked.h beside it. It reads badge numbers, one a line, from the
   serial line (9600 baud), and answers each: "open", or "ask", for a badge that
   may have been revoked. The list of 1000 is 1232 bytes of flash; no RAM. */
#define BLOOM_ROM PROGMEM
#define BLOOM_READ_BYTE(p) pgm_read_byte(p)
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#include "revoked.h"

static const bloom *revoked;
static char badge[12];
static uint8_t digits;                  /* too many: no badge of ours */

void setup()
{
    Serial.begin(9600);
    revoked = bloom_view(revoked_bloom, sizeof revoked_bloom, NULL);
}

static void answer()
{
    bool good = revoked && digits > 0 && digits < sizeof badge
                && !bloom_may_contain(revoked, badge, digits);
    Serial.println(good ? F("open") : F("ask"));
}

void loop()
{
    int c = Serial.read();
    if (c == '\n') {
        answer();
        digits = 0;
    } else if (c >= '0' && c <= '9' && digits < sizeof badge) {
        badge[digits++] = (char)c;
    }
}
