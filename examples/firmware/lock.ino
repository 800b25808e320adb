/* lock: the door lock of rom.c as an Arduino sketch. Put it into a folder named
   lock, together with bloom.h and revoked.h. It reads badge numbers from the
   serial line (9600 baud), one per line. It answers "open", or "ask" if the
   badge may have been revoked. The list of 1000 badges takes 1232 bytes of
   flash and no RAM.

   For a filter, "01003" and "1003" are different keys. The list has numbers
   without leading zeros, so the lock drops the leading zeros of a badge.
   Otherwise a revoked badge that is sent as "01003" would open the door. */
#define BLOOM_ROM PROGMEM
#define BLOOM_READ_BYTE(p) pgm_read_byte(p)
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#include "revoked.h"

static const bloom *revoked;
static char badge[12];
static uint8_t digits;                  /* sizeof badge: too many, no badge */

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
    } else if (c == '0' && digits == 0) {
        return;                         /* drops a leading zero */
    } else if (c >= '0' && c <= '9' && digits < sizeof badge) {
        badge[digits++] = (char)c;
    }
}
