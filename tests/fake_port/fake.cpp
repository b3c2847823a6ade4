// A small fake of the rewritten interpreter, to test the runtime: a program is a list of one-letter
// commands. Its state is in the same place as the real one's, accessed through PORTER_STATE.
#include "porter_runtime.h"

#include <stddef.h>
#include <stdint.h>

#define GPUSNEK_API extern "C" PORTER_DEVICE
#include "interp.h"

extern "C" {
PORTER_DEVICE void porter_syncthreads(uint64_t end);
PORTER_DEVICE void porter_pause(void);
PORTER_DEVICE void porter_fatal(const char *message);
PORTER_DEVICE void porter_gc_flush(void (*scan)(void *, void *), void *context);
PORTER_DEVICE uint64_t porter_clock_ns(void);

extern PORTER_DEVICE int fake_setups;
PORTER_DEVICE int fake_setups = 0;

PORTER_DEVICE void porter_state_init(void) {
    PORTER_STATE->fake_counter = 100;
}

PORTER_DEVICE void porter_setup(void) {
    fake_setups++;
}

PORTER_DEVICE void porter_stack_overflow(void) {
    porter_unwind_to(PORTER_UNWIND_ALL, 1);
}

PORTER_DEVICE void porter_poll_loop(int raises) {
    (void)raises;
}

static PORTER_DEVICE void put(gpusnek_output_t *to, char c) {
    if (*to->length < to->size) {
        to->data[*to->length] = c;
    }
    ++*to->length;
}

static PORTER_DEVICE void number(gpusnek_output_t *to, uint64_t value) {
    if (value >= 10) {
        number(to, value / 10);
    }
    put(to, (char)('0' + value % 10));
}

PORTER_DEVICE void gpusnek_attach(const gpusnek_io_t *io) {
    PORTER_STATE->fake_io = *io;
}

PORTER_DEVICE void gpusnek_limit_to(uint64_t max_steps, uint64_t deadline_ns) {
    (void)max_steps;
    (void)deadline_ns;
}

PORTER_DEVICE int gpusnek_arguments(const void *bytes) {
    (void)bytes;
    return GPUSNEK_OK;
}

PORTER_DEVICE int gpusnek_call(const char *entry) {
    (void)entry;
    return GPUSNEK_NO_ENTRY;
}

PORTER_DEVICE int gpusnek_matches(
    const void *expected, const gpusnek_tolerance_t *tolerance, uint8_t *equal) {
    (void)expected;
    (void)tolerance;
    *equal = GPUSNEK_UNEQUAL;
    return GPUSNEK_OK;
}

PORTER_DEVICE int gpusnek_result(uint64_t *value) {
    *value = 0;
    return GPUSNEK_VALUE_NONE;
}

PORTER_DEVICE void gpusnek_output_to(char *out, char *err, gpusnek_exception_t *exception) {
    (void)out;
    (void)err;
    (void)exception;
}

PORTER_DEVICE int gpusnek_start(const gpusnek_boot_t *boot) {
    PORTER_STATE->fake_boot = *boot;
    return GPUSNEK_OK;
}

static PORTER_DEVICE void scan(void *lowest, void *context) {
    const uint64_t *word = (const uint64_t *)(((uintptr_t)lowest + 7) & ~(uintptr_t)7);
    const uint64_t *top = (const uint64_t *)PORTER_STATE->fake_io.stack_top;
    uint64_t found = 0;
    for (; word < top; word++) {
        found += *word == (uint64_t)(uintptr_t)PORTER_STATE->fake_boot.heap;
    }
    *(uint64_t *)context = found;
}

static PORTER_DEVICE int command(char c) {
    porter_state_t *state = PORTER_STATE;
    gpusnek_output_t *out = &state->fake_io.out;
    switch (c) {
        case 'i': // threadIdx
            number(out, state->fake_boot.index);
            break;
        case 'n': // numThreads
            number(out, state->fake_boot.total);
            break;
        case '+':
            state->fake_counter++;
            break;
        case 'c':
            number(out, state->fake_counter);
            break;
        case 'e': // to stderr
            put(&state->fake_io.err, 'E');
            break;
        case 'b': // barrier
            porter_syncthreads(UINT64_MAX);
            break;
        case 'p':
            porter_pause();
            break;
        case 's': // the first lane's counter shows whether the barrier worked
            ((volatile uint32_t *)state->fake_boot.fs)[0] += 1;
            break;
        case 'r':
            number(out, ((volatile uint32_t *)state->fake_boot.fs)[0]);
            break;
        case 'm': // one byte of stdin
            if (*state->fake_io.in.position < state->fake_io.in.size) {
                put(out, state->fake_io.in.data[(*state->fake_io.in.position)++]);
            }
            break;
        case 'w': // past the arena's end
            ((volatile char *)state->fake_boot.heap)[state->fake_boot.heap_size] = 1;
            break;
        case 'h': // mark both ends of the heap
            ((volatile char *)state->fake_boot.heap)[0] = 7;
            ((volatile char *)state->fake_boot.heap)[state->fake_boot.heap_size - 1] = 9;
            break;
        case 'g': // read them back
            number(out, ((volatile char *)state->fake_boot.heap)[0]);
            number(out, ((volatile char *)state->fake_boot.heap)[state->fake_boot.heap_size - 1]);
            break;
        case 'f': { // the flush must find a pointer that lives in registers
            uint64_t found = 0;
            porter_gc_flush(scan, &found);
            put(out, found ? 'Y' : 'N');
            break;
        }
        case 't':
            put(out, porter_clock_ns() ? 'T' : '0');
            break;
        case 'A':
            porter_fatal("fake");
            break;
        case 'x':
            return GPUSNEK_EXCEPTION;
        case 'y':
            put(&state->fake_io.err, 'S');
            return GPUSNEK_SYNTAX_ERROR;
        case 'l': // loop until interrupted
            while (state->fake_io.interrupt && *state->fake_io.interrupt == 0) {
            }
            return GPUSNEK_STOPPED;
        case '?': // ends here when odd
            if (state->fake_boot.index & 1) {
                return GPUSNEK_EXIT;
            }
            break;
        default:
            put(out, c);
    }
    return GPUSNEK_OK;
}

PORTER_DEVICE int gpusnek_exec(const char *source, size_t length, int kind, const char *name) {
    (void)kind;
    (void)name;
    for (size_t i = 0; i < length; i++) {
        int status = command(source[i]);
        if (status != GPUSNEK_OK) {
            return status;
        }
    }
    return GPUSNEK_OK;
}

PORTER_DEVICE int gpusnek_bind(int, const char *, const void *, size_t, char) {
    return GPUSNEK_OK;
}

PORTER_DEVICE int gpusnek_value(int *status, uint64_t *value) {
    (void)status;
    *value = PORTER_STATE->fake_boot.index;
    return GPUSNEK_VALUE_INT;
}

PORTER_DEVICE void gpusnek_value_data(char *to) {
    *to = 'd';
}

// The fake compiles nothing, so it has no template to copy.
PORTER_DEVICE int gpusnek_prepare(const char *, size_t, int, const char *) {
    return GPUSNEK_NOT_STARTED;
}

PORTER_DEVICE int gpusnek_go(int) {
    return GPUSNEK_NOT_STARTED;
}

PORTER_DEVICE size_t gpusnek_heap_used(size_t *tables) {
    *tables = (size_t)PORTER_STATE->fake_boot.heap_size; // all of it
    return *tables;
}

PORTER_DEVICE void gpusnek_code_to(void *, size_t) {
}

PORTER_DEVICE int gpusnek_become(const gpusnek_boot_t *boot) {
    return gpusnek_start(boot);
}

PORTER_DEVICE int gpusnek_stop(void) {
    return GPUSNEK_OK;
}

PORTER_DEVICE void gpusnek_detach(void) {}

PORTER_DEVICE int gpusnek_lack(uint64_t *bytes) {
    *bytes = 0;
    return GPUSNEK_LACK_NOTHING;
}

PORTER_DEVICE int gpusnek_ran_out(void) {
    return GPUSNEK_LACK_NOTHING;
}

PORTER_DEVICE bool gpusnek_missed(uint32_t *key) {
    *key = 0;
    return false;
}

PORTER_DEVICE int gpusnek_exit_code(void) {
    return 3;
}

PORTER_DEVICE uint32_t gpusnek_allocations(void) {
    return 0;
}

PORTER_DEVICE bool gpusnek_limits_take(uint32_t steps) {
    (void)steps;
    return false;
}

PORTER_DEVICE uint64_t gpusnek_steps(void) {
    return 0;
}
}
