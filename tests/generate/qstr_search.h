// The parts of MicroPython and of the port that port/qstrsearch.c needs, without MicroPython
// (test_qstr_table.py). Every header that it includes is this file.
#ifndef QSTR_SEARCH_H
#define QSTR_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GPUSNEK_PATCH_TEXTS (1)
#define MICROPY_QSTR_BYTES_IN_LEN (1)
#define MP_STATIC_ASSERT(condition) _Static_assert(condition, #condition)
#define MP_ARRAY_SIZE(array) (sizeof(array) / sizeof(array[0]))
#define MP_STATE_VM(name) (state.name)
#define MIN(a, b) ((a) < (b) ? (a) : (b))

enum { MP_QSTRnull, MP_QSTR_, MP_QSTR_x };

typedef uint8_t byte;
typedef size_t qstr;
typedef HASH_TYPE qstr_hash_t;
typedef uint8_t qstr_len_t;

// py/qstr.h
typedef struct _qstr_pool_t {
    const struct _qstr_pool_t *prev;
    size_t total_prev_len : (8 * sizeof(size_t) - 1);
    size_t is_sorted : 1;
    size_t alloc;
    size_t len;
    qstr_hash_t *hashes;
    qstr_len_t *lengths;
    const char *qstrs[];
} qstr_pool_t;

typedef struct {
    const qstr_pool_t *last_pool;
} state_t;

extern state_t state;
void gpusnek_look_soon(size_t steps);

#endif
