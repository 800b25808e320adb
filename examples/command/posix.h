/* posix.h: the edition of POSIX that the command needs. Each header of this
   folder includes it first, as it must precede the headers of the system. */

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200809L
#endif
#ifndef _FILE_OFFSET_BITS
#define _FILE_OFFSET_BITS 64
#endif
