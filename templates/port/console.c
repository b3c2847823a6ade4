// Standard streams: output kept in buffers, printed, or sent to the host while interpreters run;
// input that is all there, or that the host goes on writing.
#include <string.h>

#include "exceptions.h"
#include "hooks.h"
#include "port.h"
#include "py/runtime.h"

// Gives way, and lets the host interrupt: raises KeyboardInterrupt where something can catch it.
// False when the host stops everything or the deadline passed: nothing more is to be waited for.
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

static void count_lost(size_t size) {
    if (gpusnek_io.lost != NULL) {
        *gpusnek_io.lost += size;
    }
}

// A free slot of the ring and its ticket, NULL when there is none.
static gpusnek_slot_t *take_slot(gpusnek_ring_t *ring, uint64_t *ticket) {
    uint64_t next = *(volatile uint64_t *)&ring->head;
    uint64_t seen = *(volatile uint64_t *)&ring->seen;
    for (;;) {
        // Negative when others have gone on since `next` was read; then the swap fails.
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

// One slot's worth of text, at most GPUSNEK_SLOT_TEXT bytes. False when there is no room now.
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

// Sends what the buffer holds, as far as there is room; the rest moves to the buffer's start.
// `more`: text follows that belongs to it.
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

// Empties the buffer of collected text. It may not become empty when the host stops everything:
// what stays is there for the host to read after the launch.
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

static void collect(gpusnek_output_t *output, const char *text, size_t size) {
    // The other stream's text was written before.
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

void gpusnek_output_write(gpusnek_output_t *output, const char *text, size_t size) {
    if (gpusnek_recording()) {
        return; // an exception's __str__ is called once more than the program's output shows
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

// Looks again how much the host has written; false when there is nothing and may be some later.
static bool look_for_input(gpusnek_input_t *in) {
    if (in->live == NULL || *in->position < in->size) {
        return true;
    }
    // In this order: the host writes the last bytes' number before it says that there is no more.
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
    // Volatile, for a cache may hold these bytes from before the host wrote them.
    return ((const volatile unsigned char *)in->data)[(*in->position)++];
}
