// Exception records: the host's description of the exception that ended a program or a call.
//
// Problem: the heap may be full when an exception ends a program. A traceback that is formatted or
// marshalled in the heap is then lost or cut, and so are the frames that py/objexcept.c appends.
//
// Mechanism: each interpreter (each row, if a launch makes calls) has a record of
// GPUSNEK_EXCEPTION_BYTES in the launch's memory. gpusnek_record() fills it without an allocation.
// Only the message may run Python code, in a protected call with a step limit whose output is
// dropped. porter/base/exception_record.py decodes records.
//
// States of a record: while a program runs, it holds a lost_t with the frames for which the heap
// had no space. After gpusnek_record() it holds a gpusnek_exception_t, and `flags` is not 0.
//
// Invariant E1: the first exception that ends a program or call owns the record. Later exceptions,
// for example of exit functions, do not change it.
// Invariant E2: bytes after `used` are 0, so equal exceptions have equal records.
// Invariant E3: gpusnek_record() preserves limits, output, globals and the emergency exception, so
// that the traceback on stderr and finalisers behave as without a record.
#include <string.h>

#include "exceptions.h"
#include "hooks.h"
#include "missing.h"
#include "port.h"
#include "py/gc.h"
#include "py/mpstate.h"
#include "py/objstr.h"
#include "py/objtype.h"
#include "py/runtime.h"

#define KEPT_RUNS (GPUSNEK_EXCEPTION_FRAMES / 2) // runs that are kept at each end
#define MAX_TYPE_BYTES (128) // of the name of the exception's type
#define MAX_BASE_BYTES (32) // of the name of its built-in base type
#define MAX_OWNER_BYTES (32) // of the name of what lacks something (missing.c)
#define MAX_MISSING_BYTES (64) // of the name of what is missing
#define MAX_NAMES_BYTES (308) // of all names of files and functions
#define MIN_MESSAGE_BYTES (240) // the remainder of a record
#define MESSAGE_STEPS ((uint64_t)1 << 16) // limit for __str__; about a millisecond on the host twin
#define DISPLACED (4) // further exceptions whose lost frames are counted

// Consecutive equal frames.
typedef struct _run_t {
    uint32_t file;
    uint32_t block;
    uint32_t line;
    uint32_t count;
} run_t;

// Consecutive equal frames that did not fit into the heap.
typedef struct _lost_run_t {
    uint32_t file;
    uint32_t block;
    uint32_t line;
    uint32_t count;
    uint32_t after; // number of frames in the heap's traceback when this run was lost
} lost_run_t;

// Frames that did not fit into the heap, in the order of unwinding: the first runs and the last
// runs.
typedef struct _lost_t {
    uint32_t flags; // GPUSNEK_EXCEPTION_NONE distinguishes it from a gpusnek_exception_t
    uint32_t runs; // total; `last` is a ring
    uint64_t exception; // address of the exception that owns these frames; 0: none
    uint64_t gap; // number of frames between `first` and `last`
    uint64_t displaced[DISPLACED]; // ring of other exceptions that lost frames
    uint64_t frames[DISPLACED]; // the number of lost frames of each
    uint64_t next; // write index of these two rings
    lost_run_t first[KEPT_RUNS];
    lost_run_t last[KEPT_RUNS];
} lost_t;

static bool recording;

bool gpusnek_recording(void) {
    return recording;
}

void gpusnek_record_abandon(void) {
    recording = false;
}

// Return the record as a lost_t, or NULL if the launch keeps no records, the record is complete
// (invariant E1), or it is being written.
static lost_t *lost_frames(void) {
    lost_t *lost = (lost_t *)gpusnek_io.exception;
    return lost == NULL || recording || lost->flags != GPUSNEK_EXCEPTION_NONE ? NULL : lost;
}

// Return the total number of lost frames.
static uint64_t frames_of(const lost_t *lost) {
    uint64_t frames = lost->gap;
    for (uint32_t i = 0; i < KEPT_RUNS; i++) {
        frames += i < lost->runs ? lost->first[i].count : 0;
        frames += i + KEPT_RUNS < lost->runs ? lost->last[i].count : 0;
    }
    return frames;
}

// Forget all lost frames and make `exception` the owner of the next ones.
static void clear_runs(lost_t *lost, uint64_t exception) {
    lost->runs = 0;
    lost->gap = 0;
    lost->exception = exception;
}

void gpusnek_frames_begin(const mp_obj_exception_t *exception) {
    lost_t *lost = lost_frames();
    const uint64_t address = (uint64_t)(uintptr_t)exception;
    if (lost == NULL || (lost->exception == 0 && lost->next == 0)) {
        return; // the usual case: no frame was lost
    }
    if (lost->exception == address) {
        clear_runs(lost, 0);
    }
    for (uint32_t i = 0; i < DISPLACED; i++) {
        if (lost->displaced[i] == address) {
            lost->displaced[i] = 0;
        }
    }
}

// Return the storage of run `index`.
static lost_run_t *run_at(lost_t *lost, uint32_t index) {
    return index < KEPT_RUNS ? &lost->first[index] : &lost->last[index % KEPT_RUNS];
}

void gpusnek_frame_lost(const mp_obj_exception_t *exception, qstr file, size_t line, qstr block) {
    lost_t *lost = lost_frames();
    const uint64_t address = (uint64_t)(uintptr_t)exception;
    if (lost == NULL) {
        return;
    }
    if (lost->exception != address) {
        if (lost->exception != 0 && lost->runs > 0) {
            lost->displaced[lost->next % DISPLACED] = lost->exception;
            lost->frames[lost->next % DISPLACED] = frames_of(lost);
            lost->next++;
        }
        clear_runs(lost, address);
    }
    const uint32_t after =
        exception->traceback_data == NULL ? 0 : (uint32_t)(exception->traceback_len / 3);
    if (lost->runs > 0) {
        lost_run_t *run = run_at(lost, lost->runs - 1);
        if (run->file == file && run->block == block && run->line == line && run->after == after) {
            run->count++;
            return;
        }
    }
    lost_run_t *run = run_at(lost, lost->runs);
    if (lost->runs >= 2 * KEPT_RUNS) {
        lost->gap += run->count;
    }
    run->file = (uint32_t)file;
    run->block = (uint32_t)block;
    run->line = (uint32_t)line;
    run->count = 1;
    run->after = after;
    lost->runs++;
}

// A traceback in printing order, outermost frame first: the first runs, a gap, and the last runs.
typedef struct _frames_t {
    run_t first[KEPT_RUNS];
    run_t last[KEPT_RUNS]; // a ring
    run_t open; // the run that grows; count 0: none
    uint32_t before; // runs in `first`
    uint32_t after; // runs that were put into `last`
    uint32_t oldest; // index of the first run that `last` still holds
    bool closed; // `first` is complete
    uint64_t omitted; // frames of the gap
} frames_t;

// Move the open run to `first` or `last`; a run that leaves the ring `last` joins the gap.
static void close_run(frames_t *frames) {
    if (frames->open.count == 0) {
        return;
    }
    if (!frames->closed && frames->before < KEPT_RUNS) {
        frames->first[frames->before++] = frames->open;
    } else {
        frames->closed = true;
        if (frames->after - frames->oldest == KEPT_RUNS) {
            frames->omitted += frames->last[frames->oldest++ % KEPT_RUNS].count;
        }
        frames->last[frames->after++ % KEPT_RUNS] = frames->open;
    }
    frames->open.count = 0;
}

// Append `count` equal frames.
static void add_frames(
    frames_t *frames, uint32_t file, uint32_t line, uint32_t block, uint32_t count) {
    run_t *open = &frames->open;
    if (open->count > 0
        && (open->file != file || open->line != line || open->block != block)) {
        close_run(frames);
    }
    open->file = file;
    open->line = line;
    open->block = block;
    open->count += count;
}

// Add a gap of `count` frames. Runs between an earlier gap and this gap join it.
static void add_gap(frames_t *frames, uint64_t count) {
    close_run(frames);
    frames->closed = true;
    frames->omitted += count;
    for (uint32_t i = 0; i < KEPT_RUNS; i++) {
        if (frames->oldest < frames->after) {
            frames->omitted += frames->last[frames->oldest++ % KEPT_RUNS].count;
        }
    }
}

// Merge the frames of `exception` in the heap with its lost frames, by the order of unwinding.
static void collect_frames(frames_t *frames, mp_obj_t exception, const mp_obj_exception_t *native,
    const lost_t *lost) {
    size_t words = 0;
    size_t *values = NULL;
    mp_obj_exception_get_traceback(exception, &words, &values);
    const uint64_t address = (uint64_t)(uintptr_t)native;
    for (uint32_t i = 0; i < DISPLACED; i++) {
        if (lost->displaced[i] == address) {
            add_gap(frames, lost->frames[i]);
        }
    }
    uint32_t left = lost->exception == address ? lost->runs : 0;
    size_t kept = words / 3;
    while (left > 0 || kept > 0) {
        if (lost->runs > 2 * KEPT_RUNS && left == lost->runs - KEPT_RUNS) {
            add_gap(frames, lost->gap);
            left = KEPT_RUNS;
        }
        const lost_run_t *run = left == 0 ? NULL
            : left <= KEPT_RUNS ? &lost->first[left - 1] : &lost->last[(left - 1) % KEPT_RUNS];
        if (run != NULL && run->after >= kept) {
            add_frames(frames, run->file, run->line, run->block, run->count);
            left--;
        } else if (kept > 0) {
            const size_t *entry = values + 3 * --kept;
            add_frames(frames, (uint32_t)entry[0], (uint32_t)entry[1], (uint32_t)entry[2], 1);
        } else {
            break; // no run has more preceding frames than the traceback contains
        }
    }
    close_run(frames);
}

// Return the length of the longest prefix of UTF-8 text within `room` bytes that ends between
// characters.
static size_t part_of(const char *text, size_t size, size_t room) {
    if (size <= room) {
        return size;
    }
    size_t end = room;
    for (int back = 0; back < 3 && end > 0 && ((unsigned char)text[end] & 0xc0) == 0x80; back++) {
        end--;
    }
    return ((unsigned char)text[end] & 0xc0) == 0x80 ? room : end;
}

// Return `size` without an incomplete character at the end of the text.
static size_t whole_characters(const char *text, size_t size) {
    for (size_t back = 1; back <= 3 && back <= size; back++) {
        const unsigned char lead = (unsigned char)text[size - back];
        if (lead >= 0xc0) {
            const size_t wanted = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
            return back < wanted ? size - back : size;
        }
        if (lead < 0x80) {
            break;
        }
    }
    return size; // complete, or not UTF-8
}

// A record that is being filled; text is appended at `used`.
typedef struct _writer_t {
    char *base;
    gpusnek_exception_t *record;
} writer_t;

// Append at most `room` bytes of text. Store the number of bytes in *put and return their offset.
static uint16_t put_text(writer_t *to, const char *text, size_t size, size_t room, uint16_t *put) {
    const uint32_t at = to->record->used;
    const size_t left = GPUSNEK_EXCEPTION_BYTES - at;
    const size_t part = part_of(text, size, room < left ? room : left);
    memcpy(to->base + at, text, part);
    to->record->used = at + (uint32_t)part;
    *put = (uint16_t)part;
    return (uint16_t)at;
}

// Names in the record with their offsets; each name is stored once.
typedef struct _names_t {
    uint32_t name[2 * GPUSNEK_EXCEPTION_FRAMES];
    uint16_t at[2 * GPUSNEK_EXCEPTION_FRAMES];
    uint16_t size[2 * GPUSNEK_EXCEPTION_FRAMES];
    uint32_t count;
    size_t left; // bytes left for names
} names_t;

// Append the name of a qstr, or find it. Store its size in *size and return its offset.
static uint16_t put_name(writer_t *to, names_t *names, uint32_t name, uint16_t *size) {
    *size = 0;
    if (name == MP_QSTRnull) {
        return 0;
    }
    for (uint32_t i = 0; i < names->count; i++) {
        if (names->name[i] == name) {
            *size = names->size[i];
            return names->at[i];
        }
    }
    size_t length;
    const char *text = (const char *)qstr_data(name, &length);
    const uint16_t at = put_text(to, text, length, names->left, size);
    if (*size < length) {
        to->record->flags |= GPUSNEK_EXCEPTION_NAMES_CUT;
    }
    names->left -= *size;
    names->name[names->count] = name;
    names->at[names->count] = at;
    names->size[names->count++] = *size;
    return at;
}

// Fill a frame of the record.
static void put_frame(writer_t *to, names_t *names, gpusnek_frame_t *frame, const run_t *run) {
    frame->line = run->line;
    frame->count = run->count;
    frame->file_at = put_name(to, names, run->file, &frame->file_size);
    frame->name_at = put_name(to, names, run->block, &frame->name_size);
}

// Write the frames. The names of the innermost frames come first, because space may run out.
static void put_frames(writer_t *to, frames_t *frames) {
    gpusnek_exception_t *record = to->record;
    const uint32_t last = frames->after - frames->oldest;
    gpusnek_frame_t *at = (gpusnek_frame_t *)(to->base + sizeof(gpusnek_exception_t));
    names_t names;
    names.count = 0;
    names.left = MAX_NAMES_BYTES;
    record->first = (uint16_t)frames->before;
    record->frames = (uint16_t)(frames->before + last);
    record->omitted = frames->omitted > UINT32_MAX ? UINT32_MAX : (uint32_t)frames->omitted;
    record->used += record->frames * (uint32_t)sizeof(gpusnek_frame_t);
    if (record->omitted > 0) {
        record->flags |= GPUSNEK_EXCEPTION_FRAMES_OMITTED;
    }
    for (uint32_t i = KEPT_RUNS; i > 0; i--) {
        if (i <= last) {
            const run_t *run = &frames->last[(frames->oldest + i - 1) % KEPT_RUNS];
            put_frame(to, &names, at + frames->before + i - 1, run);
        }
    }
    for (uint32_t i = KEPT_RUNS; i > 0; i--) {
        if (i <= frames->before) {
            put_frame(to, &names, at + i - 1, &frames->first[i - 1]);
        }
    }
}

// A print target that writes to the record and only counts the bytes after its end.
typedef struct _sink_t {
    char *to;
    size_t room;
    size_t length; // bytes printed in total
} sink_t;

// The print function of a sink_t.
static void sink_strn(void *context, const char *text, size_t size) {
    sink_t *sink = context;
    if (sink->length < sink->room) {
        const size_t left = sink->room - sink->length;
        memcpy(sink->to + sink->length, text, size < left ? size : left);
    }
    sink->length += size;
}

// Print str(exception) to the sink. Return false if that raised or reached a limit.
static bool print_message(sink_t *sink, mp_obj_t exception) {
    const mp_print_t print = {sink, sink_strn};
    nlr_buf_t *const outer = nlr_get_abort();
    bool printed = false;
    nlr_buf_t nlr;
    nlr_set_abort(&nlr);
    if (nlr_push(&nlr) == 0) {
        mp_obj_print_helper(&print, exception, PRINT_STR);
        nlr_pop();
        printed = true;
    }
    nlr_set_abort(outer);
    return printed;
}

// Same as print_message(), with limits of its own; preserves all other state (invariant E3).
static bool print_apart(sink_t *sink, mp_obj_t exception) {
    gpusnek_limits_t limits;
    mp_obj_dict_t *const globals = mp_globals_get();
    mp_obj_dict_t *const locals = mp_locals_get();
    const mp_obj_exception_t emergency = MP_STATE_VM(mp_emergency_exception_obj);
    mp_obj_t buffer[MICROPY_EMERGENCY_EXCEPTION_BUF_SIZE / sizeof(mp_obj_t)];
    memcpy(buffer, MP_STATE_VM(mp_emergency_exception_buf), sizeof(buffer));
    gpusnek_limits_lend(&limits, MESSAGE_STEPS, true);
    recording = true;
    const bool printed = print_message(sink, exception);
    recording = false;
    gpusnek_limits_return(&limits);
    memcpy(MP_STATE_VM(mp_emergency_exception_buf), buffer, sizeof(buffer));
    MP_STATE_VM(mp_emergency_exception_obj) = emergency;
    mp_globals_set(globals);
    mp_locals_set(locals);
    if (!printed) {
        mp_handle_pending(false); // discard an interrupt that was meant for __str__
    }
    return printed;
}

// Write the message: str(exception), else the first argument if it is a str, else nothing.
static void put_message(writer_t *to, mp_obj_t exception, const mp_obj_exception_t *native) {
    gpusnek_exception_t *record = to->record;
    const uint32_t at = record->used;
    const size_t room = GPUSNEK_EXCEPTION_BYTES - at;
    sink_t sink = {to->base + at, room, 0};
    size_t length;
    record->message_at = (uint16_t)at;
    if (print_apart(&sink, exception)) {
        length = sink.length;
        record->message_size = (uint16_t)(length < room ? length : room);
        if (length > room) {
            record->message_size = (uint16_t)whole_characters(sink.to, room);
        }
    } else {
        length = 0;
        record->flags |= GPUSNEK_EXCEPTION_MESSAGE_MISSING;
        memset(sink.to, 0, room);
        if (native != NULL && native->args != NULL && native->args->len > 0
            && mp_obj_is_str(native->args->items[0])) {
            const char *text = mp_obj_str_get_data(native->args->items[0], &length);
            put_text(to, text, length, room, &record->message_size);
            record->flags ^= GPUSNEK_EXCEPTION_MESSAGE_MISSING | GPUSNEK_EXCEPTION_MESSAGE_ARGUMENT;
        }
    }
    memset(sink.to + record->message_size, 0, room - record->message_size);
    record->used = at + record->message_size;
    record->message_length = length > UINT32_MAX ? UINT32_MAX : (uint32_t)length;
    if (length > record->message_size) {
        record->flags |= GPUSNEK_EXCEPTION_MESSAGE_CUT;
    }
}

// Write what the core lacked when it made the exception. The core makes exceptions of built-in types,
// whose short names leave most of MAX_TYPE_BYTES to the names of what is missing.
static void put_missing(writer_t *to) {
    gpusnek_exception_t *record = to->record;
    qstr owner;
    qstr name;
    size_t size;
    record->missing = (uint16_t)gpusnek_missing_found(&owner, &name);
    if (owner != MP_QSTRnull) {
        const char *text = (const char *)qstr_data(owner, &size);
        record->owner_at = put_text(to, text, size, MAX_OWNER_BYTES, &record->owner_size);
    }
    if (name != MP_QSTRnull) {
        const char *text = (const char *)qstr_data(name, &size);
        record->missing_at = put_text(to, text, size, MAX_MISSING_BYTES, &record->missing_size);
    }
}

// Return the built-in part of an exception object, or NULL if it has none.
static const mp_obj_exception_t *native_part(mp_obj_t exception) {
    if (!mp_obj_is_exception_instance(exception)) {
        return NULL;
    }
    if (mp_obj_is_native_exception_instance(exception)) {
        return MP_OBJ_TO_PTR(exception);
    }
    return MP_OBJ_TO_PTR(((const mp_obj_instance_t *)MP_OBJ_TO_PTR(exception))->subobj[0]);
}

void gpusnek_record(mp_obj_t exception) {
    MP_STATIC_ASSERT(sizeof(lost_t) <= GPUSNEK_EXCEPTION_BYTES);
    MP_STATIC_ASSERT(sizeof(gpusnek_exception_t) + MAX_TYPE_BYTES + MAX_BASE_BYTES
        + MAX_NAMES_BYTES + GPUSNEK_EXCEPTION_FRAMES * sizeof(gpusnek_frame_t)
        + MIN_MESSAGE_BYTES <= GPUSNEK_EXCEPTION_BYTES);
    lost_t *place = lost_frames();
    if (place == NULL) {
        return;
    }
    gpusnek_limits_t limits;
    gpusnek_limits_lend(&limits, UINT64_MAX, false); // loops in C take no steps of the program
    const lost_t lost = *place;
    const mp_obj_exception_t *native = native_part(exception);
    frames_t frames;
    memset(&frames, 0, sizeof(frames));
    if (native != NULL) {
        collect_frames(&frames, exception, native, &lost);
    }
    memset(place, 0, GPUSNEK_EXCEPTION_BYTES);
    gpusnek_exception_t *record = (gpusnek_exception_t *)place;
    writer_t to = {(char *)place, record};
    record->used = sizeof(gpusnek_exception_t);
    put_frames(&to, &frames);
    size_t size;
    const char *name = (const char *)qstr_data(mp_obj_get_type(exception)->name, &size);
    record->type_at = put_text(&to, name, size, MAX_TYPE_BYTES, &record->type_size);
    if (size > record->type_size) {
        record->flags |= GPUSNEK_EXCEPTION_TYPE_CUT;
    }
    if (native != NULL) {
        name = (const char *)qstr_data(native->base.type->name, &size);
        record->base_at = put_text(&to, name, size, MAX_BASE_BYTES, &record->base_size);
    }
    put_missing(&to);
    gpusnek_limits_return(&limits);
    put_message(&to, exception, native);
    record->flags |= GPUSNEK_EXCEPTION_THERE;
}
