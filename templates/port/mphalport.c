// Standard streams, clock, waiting and interruption.
#include <string.h>

#include "hooks.h"
#include "native.h"
#include "port.h"
#include "py/mphal.h"
#include "py/runtime.h"
#include "py/stream.h"
#include "shared/readline/readline.h"

static uint64_t clock_at_attach; // porter_clock_ns() when this launch began
static uint64_t waited_ns; // where the clock stands: what the program waited
static uint32_t interrupt_seen; // the value of the interrupt word that was last acted on

#define BESIDE_HEAP (UINT64_C(1) << 16) // the state, and what else an arena has behind its heap
#define OWN_BASE (UINT64_C(1) << 20)
#define COMMON_BASE (UINT64_C(1) << 40) // constants lie some distance on either side

// An address as programs see it: for interpreters that are alike counted from their heap, or for
// constants of the build from one of them.
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
    // No terminal behind the buffer, so a newline stays a newline.
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
    // Output may have to wait for the host, but then not for long.
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
    // A word that is already set belongs to this launch: it interrupts at the first poll.
    interrupt_seen = GPUSNEK_INTERRUPT_NONE;
    gpusnek_limits_lift(); // booting draws on no program's budget
}

// Nanoseconds as programs count them.
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

// Where the clock stands, waiting moves it and takes no time; waiting for ever is out of time at once.
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

void mp_hal_delay_us(mp_uint_t us) {
    gpusnek_output_flush();
    // A time that no clock can count lasts until somebody interrupts it.
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
        // Seen again by every later poll: a finaliser that runs while unwinding stops too.
        interrupt_seen = GPUSNEK_INTERRUPT_NONE;
        if (nlr_get_abort() != NULL) {
            nlr_jump_abort();
        }
    } else if (word != GPUSNEK_INTERRUPT_NONE) {
        mp_sched_keyboard_interrupt();
    }
}

__attribute__((noinline)) void gpusnek_poll(void) {
    porter_let_others(gpusnek_meetings);
    poll();
}

// Of machine code, which knows by itself how long others wait for it.
void gpusnek_poll_quietly(void) {
    porter_keeps();
    poll();
}

void gpusnek_poll_and_raise(void) {
    gpusnek_poll();
    mp_handle_pending(true);
}

// Called by the polls that the rewriter adds to loops, when the budget is used up. An interrupt is
// raised where the loop could raise anyhow; callbacks wait for the VM.
void porter_poll_loop(int raises) {
    gpusnek_poll();
    mp_obj_t pending = MP_STATE_MAIN_THREAD(mp_pending_exception);
    if (raises && pending != MP_OBJ_NULL && nlr_get_abort() != NULL) {
        MP_STATE_MAIN_THREAD(mp_pending_exception) = MP_OBJ_NULL;
        nlr_raise(pending);
    }
}
