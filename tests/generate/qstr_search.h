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
#define MP_NOINLINE __attribute__((noinline))
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

// The functions that make str objects. No test calls them.
typedef void *mp_obj_t;
typedef struct {
    size_t hash, len;
    const byte *data;
} mp_obj_str_t;
typedef struct {
    size_t alloc, len;
    char *buf;
} vstr_t;
extern const int mp_type_str;
mp_obj_t mp_obj_new_str_copy(const int *type, const byte *data, size_t length);
void vstr_clear(vstr_t *text);
size_t gpusnek_block_bytes(size_t size);
char *renewed(char *memory, size_t old_size, size_t size);
mp_obj_str_t *new_str(const int *type);
#define MP_OBJ_NEW_QSTR(number) ((mp_obj_t)(uintptr_t)(number))
#define MP_OBJ_TO_PTR(object) (object)
#define MP_OBJ_FROM_PTR(object) (object)
#define m_renew(type, memory, old_size, size) renewed(memory, old_size, size)
#define mp_obj_malloc(type, of) new_str(of)

extern state_t state;
void gpusnek_look_soon(size_t steps);

#endif
