/* Runtime for test programs on an AVR in the emulator simavr: printf writes to
   the serial port, which simavr prints, and the end of main stops the
   emulator. */
#include <avr/io.h>
#include <avr/sleep.h>
#include <stdio.h>

static int send(char c, FILE *file)
{
    (void)file;
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    UDR0 = (unsigned char)c;
    return 0;
}

static FILE serial = FDEV_SETUP_STREAM(send, NULL, _FDEV_SETUP_WRITE);

__attribute__((constructor)) static void open_serial(void)
{
    UCSR0A = _BV(U2X0);                         /* double speed */
    UCSR0B = _BV(TXEN0);
    stdout = &serial;
}

/* Runs after main. simavr ends when the CPU sleeps with interrupts disabled. */
__attribute__((naked, used, section(".fini1"))) static void stop(void)
{
    while (!(UCSR0A & _BV(UDRE0)))
        ;
    sleep_enable();
    __asm__ volatile ("cli\n\tsleep");
}
