// The hardware abstraction layer of the port: standard streams, clock, delays, safepoint polls.
//
// Upstream's code calls the mp_hal_ functions. The VM, the loops of the rewriter's rule `polls` and
// native code call the poll functions when a window of steps is used up (limits.c).
#include <string.h>

#include "hooks.h"
#include "native.h"
#include "port.h"
#include "py/mphal.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "shared/readline/readline.h"

static uint64_t clock_at_attach; // porter_clock_ns() when this launch began
static uint64_t waited_ns; // with a virtual clock: its time since the launch began
static uint32_t interrupt_seen; // the last value of the interrupt word that was handled

// Upper bound of the arena behind the heap, bytes: the state and the other parts.
#define BESIDE_HEAP (UINT64_C(1) << 16)
#define OWN_BASE (UINT64_C(1) << 20) // shown address of the heap's start
#define COMMON_BASE (UINT64_C(1) << 40) // shown address of mp_type_type

// Returns an address as programs see it. With `alike` (interp.h) it is a relative address, equal in
// all interpreters: relative to the heap, or for constants relative to mp_type_type. Called by the
// patch `own-addresses`.
uintptr_t gpusnek_address(uintptr_t address) {
    if (!gpusnek_io.alike) {
        return address;
    }
    const uintptr_t own = address - (uintptr_t)gpusnek_boot.heap;
    if (own < gpusnek_boot.heap_size + BESIDE_HEAP) {
        return own + OWN_BASE;
    }
    return address - (uintptr_t)&mp_type_type + COMMON_BASE;
}

mp_uint_t mp_hal_stdout_tx_strn(const char *text, size_t size) {
    gpusnek_output_write(&gpusnek_io.out, text, size);
    return size;
}

void mp_hal_stdout_tx_strn_cooked(const char *text, size_t size) {
    // The output is not a terminal, so a newline needs no carriage return.
    gpusnek_output_write(&gpusnek_io.out, text, size);
}

void mp_hal_stdout_tx_str(const char *text) {
    gpusnek_output_write(&gpusnek_io.out, text, strlen(text));
}

int mp_hal_stdin_rx_chr(void) {
    int c = gpusnek_input_byte();
    return c < 0 ? CHAR_CTRL_D : c;
}

uintptr_t mp_hal_stdio_poll(uintptr_t flags) {
    // Output is always ready: a write waits for the host only briefly.
    return flags & (MP_STREAM_POLL_WR | (gpusnek_input_ready() ? MP_STREAM_POLL_RD : 0));
}

int gpusnek_readline(vstr_t *line, const char *prompt) {
    gpusnek_output_write(&gpusnek_io.out, prompt, strlen(prompt));
    for (;;) {
        int c = gpusnek_input_byte();
        if (c < 0) {
            return CHAR_CTRL_D;
        }
        if (c == '\n') {
            return '\r';
        }
        vstr_add_byte(line, (byte)c);
    }
}

void gpusnek_clock_attach(void) {
    clock_at_attach = porter_clock_ns();
    waited_ns = 0;
    // A value that the interrupt word has already is for this launch: the first poll handles it.
    interrupt_seen = GPUSNEK_INTERRUPT_NONE;
    gpusnek_limits_lift(); // booting takes no steps of a program
}

// Returns the clock that programs read, in nanoseconds: the virtual clock if the launch has one.
static uint64_t program_clock(void) {
    return gpusnek_io.clock_stands ? waited_ns : porter_clock_ns();
}

mp_uint_t mp_hal_ticks_ms(void) {
    return program_clock() / 1000000;
}

mp_uint_t mp_hal_ticks_us(void) {
    return program_clock() / 1000;
}

mp_uint_t mp_hal_ticks_cpu(void) {
    return program_clock();
}

uint64_t mp_hal_time_ns(void) {
    const uint64_t since =
        gpusnek_io.clock_stands ? waited_ns : porter_clock_ns() - clock_at_attach;
    return gpusnek_io.epoch_ns + since;
}

// Waits, or gives way to other interpreters, once in a loop that waits for an event: at most `ms`
// milliseconds, -1 without a limit. A virtual clock advances at once; without a limit the program
// then runs out of time.
void gpusnek_wait(int64_t ms) {
    if (!gpusnek_io.clock_stands) {
        porter_pause();
    } else if (ms < 0) {
        gpusnek_limits_expire();
        gpusnek_poll();
    } else {
        waited_ns += (uint64_t)ms * 1000000;
    }
}

// Delays for `us` microseconds and polls meanwhile. Flushes the output first. May raise
// KeyboardInterrupt.
void mp_hal_delay_us(mp_uint_t us) {
    gpusnek_output_flush();
    // A delay that exceeds the clock's range lasts until an interrupt.
    const uint64_t ns = us < UINT64_MAX / 1000 ? (uint64_t)us * 1000 : UINT64_MAX;
    if (gpusnek_io.clock_stands) {
        waited_ns += ns;
        mp_event_handle_nowait();
        return;
    }
    uint64_t start = porter_clock_ns();
    while (porter_clock_ns() - start < ns) {
        mp_event_handle_nowait();
        porter_pause();
    }
}

void mp_hal_delay_ms(mp_uint_t ms) {
    mp_hal_delay_us(ms < UINT64_MAX / 1000 ? ms * 1000 : UINT64_MAX);
}

// Polls: checks the limits, refused accesses and the host's interrupt word. Ends the program by a
// hard stop, or schedules a KeyboardInterrupt; raises nothing.
static inline __attribute__((always_inline)) void poll(void) {
    porter_give_way();
    const bool ends = gpusnek_limits_look() != GPUSNEK_OK || porter_refused();
    if (ends && nlr_get_abort() != NULL) {
        nlr_jump_abort();
    }
    if (gpusnek_io.interrupt == NULL) {
        return;
    }
    uint32_t word = porter_peek(gpusnek_io.interrupt);
    if (word == interrupt_seen) {
        return;
    }
    interrupt_seen = word;
    if (word == GPUSNEK_INTERRUPT_STOP) {
        // Every later poll handles the stop again: a finaliser that runs during unwinding stops
        // too.
        interrupt_seen = GPUSNEK_INTERRUPT_NONE;
        if (nlr_get_abort() != NULL) {
            nlr_jump_abort();
        }
    } else if (word != GPUSNEK_INTERRUPT_NONE) {
        mp_sched_keyboard_interrupt();
    }
}

__attribute__((noinline)) void gpusnek_poll(void) {
    if (porter_polled_lately() && !porter_refused() && gpusnek_limits_reopen()) {
        return;
    }
    porter_release_waiting(gpusnek_meetings);
    poll();
}

// The poll of native code, which tracks by itself for how long other lanes have waited for it.
void gpusnek_poll_quietly(void) {
    porter_restart_hold();
    poll();
}

void gpusnek_poll_and_raise(void) {
    gpusnek_poll();
    mp_handle_pending(true);
}

// Called when a window is used up, by the polls that the rewriter adds to C loops. Raises a pending
// interrupt if the loop may raise (`raises`). Scheduled callbacks wait until the VM runs them.
void porter_poll_loop(int raises) {
    gpusnek_poll();
    mp_obj_t pending = MP_STATE_MAIN_THREAD(mp_pending_exception);
    if (raises && pending != MP_OBJ_NULL && nlr_get_abort() != NULL) {
        MP_STATE_MAIN_THREAD(mp_pending_exception) = MP_OBJ_NULL;
        nlr_raise(pending);
    }
}
