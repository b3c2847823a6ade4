// Declarations of the hardware abstraction layer; upstream's py/mphal.h includes this file.
#ifndef GPUSNEK_MPHALPORT_H
#define GPUSNEK_MPHALPORT_H

#include <stddef.h>
#include <stdint.h>
#include "py/misc.h"

#define mp_hal_readline gpusnek_readline
int gpusnek_readline(vstr_t *line, const char *prompt);

static inline void mp_hal_set_interrupt_char(int c) {
    // The host interrupts by a word in memory, not by a character.
    (void)c;
}

void mp_hal_get_random(size_t size, uint8_t *bytes);

void gpusnek_poll(void);
void porter_poll_loop(int raises);
void porter_pause(void);
#define MICROPY_INTERNAL_EVENT_HOOK gpusnek_poll()
// Waits for an event: at most `ms` milliseconds, -1 without a limit.
void gpusnek_wait(int64_t ms);
#define MICROPY_INTERNAL_WFE(timeout_ms) gpusnek_wait((int64_t)(timeout_ms))

#include "lfsnames.h"

#endif
