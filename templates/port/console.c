// Standard streams of one interpreter (docs/reference/console.md).
//
// Output stays in the interpreter's buffer until the launch ends (GPUSNEK_KEEP), goes to the host
// by the launch's ring while interpreters run (GPUSNEK_SEND), or goes to porter_print()
// (GPUSNEK_PRINT). Input is complete at the start, or grows while the host writes. stdio.c,
// mphalport.c and fence.c call these functions.
//
// Ring protocol: an interpreter takes a ticket by compare and swap on `head`, fills the slot
// `ticket % length`, calls porter_publish() and writes ticket + 1 to `stamp`. The host reads slots
// in the order of tickets and advances the tail.
// Invariant R1: a slot is written only while its ticket is less than tail + length.
// Invariant R2: `stamp` is the last write to a slot, so the host never reads an incomplete slot.
#include <string.h>

#include "exceptions.h"
#include "hooks.h"
#include "port.h"
#include "py/runtime.h"

// Yield once and poll the interrupt word. Raises KeyboardInterrupt if a handler exists. Returns
// false if the host stops the launch or the deadline has passed; the caller then stops waiting.
static bool wait_for_host(void) {
    porter_pause();
    gpusnek_poll();
    mp_obj_t pending = MP_STATE_MAIN_THREAD(mp_pending_exception);
    if (pending != MP_OBJ_NULL && MP_STATE_THREAD(nlr_top) != NULL) {
        MP_STATE_MAIN_THREAD(mp_pending_exception) = MP_OBJ_NULL;
        nlr_raise(pending);
    }
    return gpusnek_limit() != GPUSNEK_OUT_OF_TIME
        && (gpusnek_io.interrupt == NULL || *gpusnek_io.interrupt != GPUSNEK_INTERRUPT_STOP);
}

// Count bytes that are dropped.
static void count_lost(size_t size) {
    if (gpusnek_io.lost != NULL) {
        *gpusnek_io.lost += size;
    }
}

// Take a free slot of the ring and store its ticket. Return NULL if the ring is full (invariant
// R1).
static gpusnek_slot_t *take_slot(gpusnek_ring_t *ring, uint64_t *ticket) {
    uint64_t next = *(volatile uint64_t *)&ring->head;
    uint64_t seen = *(volatile uint64_t *)&ring->seen;
    for (;;) {
        // The difference is negative if the tail has passed a stale `next`; the compare and swap
        // then fails.
        if ((int64_t)(next - seen) >= (int64_t)ring->length) {
            seen = *(const volatile uint64_t *)(uintptr_t)ring->tail;
            *(volatile uint64_t *)&ring->seen = seen;
            if ((int64_t)(next - seen) >= (int64_t)ring->length) {
                return NULL;
            }
        }
        uint64_t found = porter_atomic(PORTER_ATOMIC_CAS, 'Q', &ring->head, next + 1, next);
        if (found == next) {
            *ticket = next;
            return (gpusnek_slot_t *)(uintptr_t)ring->slots + (next & (ring->length - 1));
        }
        next = found;
    }
}

// Send at most GPUSNEK_SLOT_TEXT bytes in one slot. Return false if the ring is full.
static bool send(uint32_t stream, const char *text, size_t size) {
    uint64_t ticket;
    gpusnek_slot_t *slot = take_slot(gpusnek_io.ring, &ticket);
    if (slot == NULL) {
        return false;
    }
    slot->lane = gpusnek_io.lane;
    slot->stream = stream;
    slot->length = (uint32_t)size;
    for (size_t at = 0; at < size; at += 8) {
        uint64_t word = 0;
        memcpy(&word, text + at, size - at < 8 ? size - at : 8);
        slot->text[at / 8] = word;
    }
    porter_publish();
    *(volatile uint32_t *)&slot->stamp = (uint32_t)ticket + 1;
    return true;
}

// Send the buffer's text while the ring has free slots, and move the rest to the buffer's start.
// `more`: the same text continues in a later slot.
static void send_some(gpusnek_output_t *output, bool more) {
    size_t at = 0;
    size_t left = *output->length;
    while (left > 0) {
        size_t part = left < GPUSNEK_SLOT_TEXT ? left : GPUSNEK_SLOT_TEXT;
        uint32_t stream = output->stream | (more || part < left ? GPUSNEK_SLOT_MORE : 0);
        if (!send(stream, output->data + at, part)) {
            break;
        }
        at += part;
        left -= part;
    }
    memmove(output->data, output->data + at, left);
    *output->length = left;
}

// Send or print the collected text. If the host stops the launch, the rest stays in the buffer, and
// the host reads it after the launch. Raises KeyboardInterrupt while it waits for a free slot.
static void empty(gpusnek_output_t *output, bool more) {
    if (output->how == GPUSNEK_PRINT) {
        size_t length = *output->length;
        *output->length = 0;
        porter_print(output->data, length);
        return;
    }
    for (;;) {
        send_some(output, more);
        if (*output->length == 0) {
            return;
        }
        if (gpusnek_io.ring->drop) {
            count_lost(*output->length);
            *output->length = 0;
        } else if (!wait_for_host()) {
            return;
        }
    }
}

static void flush(gpusnek_output_t *output) {
    if (output->how != GPUSNEK_KEEP && *output->length > 0) {
        empty(output, false);
    }
}

void gpusnek_output_flush(void) {
    flush(&gpusnek_io.out);
    flush(&gpusnek_io.err);
}

// Append text to the line buffer, and empty the buffer when it is full or a line ends.
static void collect(gpusnek_output_t *output, const char *text, size_t size) {
    // The other stream's text is older; flush it to keep the order of both streams.
    flush(output == &gpusnek_io.out ? &gpusnek_io.err : &gpusnek_io.out);
    bool line_ends = memchr(text, '\n', size) != NULL;
    while (size > 0) {
        if (*output->length == output->size) {
            empty(output, true);
        }
        size_t room = output->size - *output->length;
        if (room == 0) {
            count_lost(size);
            return;
        }
        size_t part = size < room ? size : room;
        memcpy(output->data + *output->length, text, part);
        *output->length += part;
        text += part;
        size -= part;
    }
    if (line_ends) {
        empty(output, false);
    }
}

static bool dropping; // text for stdout

void gpusnek_output_drop(bool drops) {
    dropping = drops;
}

void gpusnek_output_write(gpusnek_output_t *output, const char *text, size_t size) {
    if (gpusnek_recording() || (dropping && output == &gpusnek_io.out)) {
        return; // the __str__ of an uncaught exception prints
    }
    if (output->how != GPUSNEK_KEEP) {
        collect(output, text, size);
        return;
    }
    size_t length = *output->length;
    *output->length = length + size;
    if (output->size == GPUSNEK_CONSOLE) {
        porter_console(text, size);
    } else if (length < output->size) {
        size_t room = output->size - length;
        memcpy(output->data + length, text, size < room ? size : room);
    }
}

// Update the number of available input bytes. Return false if no byte is available but more may
// follow.
static bool look_for_input(gpusnek_input_t *in) {
    if (in->live == NULL || *in->position < in->size) {
        return true;
    }
    // Read `open` before the size: the host writes the final size before it closes the input.
    bool open = in->live[1] != 0;
    porter_publish();
    in->size = in->live[0];
    return *in->position < in->size || !open;
}

bool gpusnek_input_ready(void) {
    return look_for_input(&gpusnek_io.in);
}

int gpusnek_input_byte(void) {
    gpusnek_input_t *in = &gpusnek_io.in;
    if (in->position == NULL) {
        return -1;
    }
    while (!look_for_input(in)) {
        gpusnek_output_flush(); // a prompt
        if (!wait_for_host()) {
            break;
        }
    }
    if (*in->position >= in->size) {
        return -1;
    }
    // Volatile: a cache may hold these bytes from before the host wrote them.
    return ((const volatile unsigned char *)in->data)[(*in->position)++];
}
