/* lock: the door lock of rom.c as an Arduino sketch of two tabs. Put lock.ino
   and later.cpp into a folder named lock, together with bloom.h and revoked.h.
   The sketch reads lines from the serial line (9600 baud):
       1003      a badge; answers "open", or "ask" if it may have been revoked
       -1001     revokes a badge from now on; answers "revoked"

   The list of 1000 badges that the sketch was compiled with takes 1232 bytes of
   flash and no RAM. The badges that were revoked later are in RAM. One file can
   read filters in flash or filters in RAM, but not both, as BLOOM_READ_BYTE
   holds for the whole file. So this file has the filter in flash, and later.cpp
   has the one in RAM.

   For a filter, "01003" and "1003" are different keys. The list has numbers
   without leading zeros, so the lock drops the leading zeros of a badge.
   Otherwise a revoked badge that is sent as "01003" would open the door. */
#define BLOOM_ROM PROGMEM
#define BLOOM_READ_BYTE(p) pgm_read_byte(p)
#define BLOOM_TINY
#define BLOOM_STATIC
#include "bloom.h"
#include "revoked.h"

/* In later.cpp */
bool revoke_later(const char *badge, uint8_t size);
bool may_be_revoked_later(const char *badge, uint8_t size);

static const bloom *revoked;
static char badge[12];
static uint8_t digits;                  /* sizeof badge: too many, no badge */
static bool revokes;                    /* the line began with a '-' */

void setup()
{
    Serial.begin(9600);
    revoked = bloom_view(revoked_bloom, sizeof revoked_bloom, NULL);
}

static bool is_badge()
{
    return digits > 0 && digits < sizeof badge;
}

static bool is_good()
{
    return revoked && is_badge()
        && !bloom_may_contain(revoked, badge, digits)
        && !may_be_revoked_later(badge, digits);
}

static void answer()
{
    if (revokes)
        Serial.println(is_badge() && revoke_later(badge, digits)
                       ? F("revoked") : F("not revoked"));
    else
        Serial.println(is_good() ? F("open") : F("ask"));
}

void loop()
{
    int c = Serial.read();
    if (c == '\n') {
        answer();
        digits = 0;
        revokes = false;
    } else if (c == '-' && digits == 0) {
        revokes = true;
    } else if (c == '0' && digits == 0) {
        return;                         /* drops a leading zero */
    } else if (c >= '0' && c <= '9' && digits < sizeof badge) {
        badge[digits++] = (char)c;
    }
}
