// Pools of qstrs for port/qstrsearch.c: constant ones from pools.h, and a program's own ones.
#include "qstr_search.h"

#include <stdlib.h>
#include <string.h>

#include "qstrsearch.h"

#include "pools.h" // written by test_qstr_table.py: pool_static, mp_qstr_const_pool, extra_pool
#ifdef MICROPY_QSTR_EXTRA_POOL
#include "table.h"
#define CONST_POOL extra_pool
#else
#define CONST_POOL mp_qstr_const_pool
#endif

state_t state = {(const qstr_pool_t *)&CONST_POOL};
size_t steps = 0;

// The functions that make str objects. No test calls them.
const int mp_type_str = 0;

mp_obj_t mp_obj_new_str_copy(const int *type, const byte *data, size_t length) {
    (void)type, (void)data, (void)length;
    abort();
}

void vstr_clear(vstr_t *text) {
    (void)text;
    abort();
}

size_t gpusnek_block_bytes(size_t size) {
    (void)size;
    abort();
}

char *renewed(char *memory, size_t old_size, size_t size) {
    (void)memory, (void)old_size, (void)size;
    abort();
}

mp_obj_str_t *new_str(const int *type) {
    (void)type;
    abort();
}

void gpusnek_look_soon(size_t more) {
    steps += more;
}

// Adds a pool of the program with `count` texts. The hashes are upstream's.
void add_pool(const char *const *texts, const uint8_t *lengths, const uint16_t *hashes, size_t count) {
    qstr_pool_t *const pool = calloc(1, sizeof(qstr_pool_t) + count * sizeof(char *));
    pool->prev = state.last_pool;
    pool->total_prev_len = pool->prev->total_prev_len + pool->prev->len;
    pool->alloc = pool->len = count;
    pool->hashes = calloc(count, sizeof(qstr_hash_t));
    pool->lengths = calloc(count, sizeof(qstr_len_t));
    for (size_t at = 0; at < count; ++at) {
        char *const text = malloc(lengths[at] + 1);
        memcpy(text, texts[at], lengths[at]);
        pool->qstrs[at] = text;
        pool->lengths[at] = lengths[at];
        pool->hashes[at] = hashes[at];
    }
    state.last_pool = pool;
}

size_t find(const char *text, size_t length) {
    return gpusnek_find_qstr(text, length);
}

uint32_t text_hash(const char *text, size_t length) {
    return gpusnek_text_hash((const byte *)text, length);
}
