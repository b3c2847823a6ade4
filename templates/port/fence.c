// Report and cleanup of an interpreter that a bounds check has ended (builds with `--fences`).
//
// The runtime calls gpusnek_fence_report() after the failed check. The interpreter's memory may be
// corrupt, so a step of the report may fail a bounds check again. The runtime then calls
// gpusnek_fence_report() again, which continues with the next step.
//
// States (`step`): FRESH, then FRAMES, REFUSAL, FILES, OUTPUT, DONE.
// Invariant F1: `step` advances before a step runs. Hence each step runs at most once, and the
// report ends.
// Invariant F2: every loop over the interpreter's data is bounded by a constant or by the pystack's
// size.
#include <string.h>

#include "blockdevice.h"
#include "exceptions.h"
#include "port.h"
#include "prelude.h"
#include "py/gc.h"
#include "py/mpstate.h"
#include "py/runtime.h"

#define MOST_FRAMES (8) // innermost frames; the default size of a stream is 1 KiB
#define MOST_DEVICES (64)
#define MOST_BYTECODE ((size_t)1 << 20)
#define NEAR ((uint64_t)1 << 40) // bytes; addresses within this distance are reported as distances

enum { FRESH, FRAMES, REFUSAL, FILES, OUTPUT, DONE };

static uint8_t step;
static const char *failed_place;
static const void *failed_address;
static unsigned int failed_kind;

static void print_text(const char *text) {
    gpusnek_output_write(&gpusnek_io.err, text, strlen(text));
}

static void print_number(uint64_t number, unsigned int base) {
    char digits[20];
    size_t at = sizeof(digits);
    do {
        digits[--at] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number != 0);
    gpusnek_output_write(&gpusnek_io.err, digits + at, sizeof(digits) - at);
}

// Return whether an aligned mp_obj_fun_bc_t at `pointer` would lie in the heap.
static bool in_heap(const void *pointer) {
    const byte *at = pointer;
    return (uintptr_t)at % sizeof(void *) == 0 && at >= MP_STATE_MEM(area).gc_pool_start
        && at + sizeof(mp_obj_fun_bc_t) <= MP_STATE_MEM(area).gc_pool_end;
}

// Return whether `words` looks like the start of a running function's mp_code_state_t: a function
// object, and an instruction pointer into its bytecode.
static bool is_frame(const void *const *words) {
    const mp_obj_fun_bc_t *fun = words[0];
    if (!in_heap(fun) || fun->base.type != &mp_type_fun_bc) {
        return false;
    }
    return (size_t)((const byte *)words[1] - fun->bytecode) < MOST_BYTECODE;
}

// Print a frame's file, line and function, decoded as py/vm.c does for a traceback.
static void print_frame(const void *const *words) {
    const mp_obj_fun_bc_t *fun = words[0];
    const gpusnek_prelude_t prelude = gpusnek_prelude(fun);
    const size_t bc = (const byte *)words[1] - prelude.first;
    const size_t line = mp_bytecode_get_source_line(prelude.lines, prelude.lines_end, bc);
    print_text("  File \"");
    print_text(qstr_str(prelude.file));
    print_text("\", line ");
    print_number(line, 10);
    print_text(", in ");
    print_text(qstr_str(prelude.name));
    print_text("\n");
}

// Print the frames in the pystack, outermost first. Frames of generators are in the heap and are
// omitted.
static void print_frames(void) {
    const void *const *from = (const void *const *)MP_STATE_THREAD(pystack_start);
    const void *const *to = (const void *const *)MP_STATE_THREAD(pystack_cur);
    size_t frames = 0;
    for (const void *const *at = from; at + 2 <= to; at++) {
        frames += is_frame(at);
    }
    if (frames == 0) {
        return;
    }
    print_text("Traceback (most recent call last):\n");
    for (const void *const *at = from; at + 2 <= to; at++) {
        if (is_frame(at) && frames-- <= MOST_FRAMES) {
            print_frame(at);
        }
    }
}

// Print the failed address. An address near the heap is printed as a distance to the heap, so that
// equal failures of different interpreters have equal reports.
static void print_address(void) {
    const uint64_t address = (uintptr_t)failed_address;
    const uint64_t low = (uintptr_t)gpusnek_boot.heap;
    const uint64_t end = low + gpusnek_boot.heap_size;
    if (address - end < NEAR && address >= NEAR) {
        print_number(address - end, 10);
        print_text(" bytes past its heap");
    } else if (low - address < NEAR && address >= NEAR) {
        print_number(low - address, 10);
        print_text(" bytes before its heap");
    } else {
        print_text("at 0x");
        print_number(address, 16);
    }
}

// Print the failed access: its type, address and source place.
static void print_refusal(void) {
    print_text("Bounds check: ");
    print_text(failed_kind == 0 ? "load" : failed_kind == 1 ? "store" : "call");
    print_text(" outside of the interpreter's memory, ");
    print_address();
    if (failed_place != NULL) {
        print_text(", in ");
        print_text(failed_place);
    }
    print_text("\n");
}

// Release the file system images that other interpreters share.
static void release_files(void) {
    for (size_t i = 0; i < MOST_DEVICES && MP_STATE_VM(gpusnek_devices) != NULL; i++) {
        gpusnek_device_release(MP_STATE_VM(gpusnek_devices));
    }
}

void gpusnek_fence_report(const char *place, const void *address, unsigned int kind) {
    if (step == FRESH) {
        failed_place = place;
        failed_address = address;
        failed_kind = kind;
        gpusnek_record_abandon();
    }
    // A raise during the report, for example in the wait for the host, must not unwind into the
    // program.
    MP_STATE_THREAD(nlr_top) = NULL;
    nlr_set_abort(NULL);
    while (step < DONE) {
        switch (++step) {
            case FRAMES:
                print_frames();
                break;
            case REFUSAL:
                print_refusal();
                break;
            case FILES:
                release_files();
                break;
            case OUTPUT:
                gpusnek_output_flush();
                break;
        }
    }
}
