// Kernels over arrays of all interpreters (porter/run/device/kernels.py): which rows are equal, and
// copies of rows. They are part of each build, so that nothing is compiled when a program runs.
// Every number is 64 bits wide; a grid has at least as many threads as there is work.
#include <stdint.h>

// Rows of `columns` words, of which row i begins at words[i * stride], and the length of each.
typedef struct {
    const uint64_t *words;
    uint64_t stride;
    uint64_t columns;
    const uint32_t *lengths;
} rows_t;

static __device__ inline uint64_t thread_number() {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// Both halves of a product. Who does not know `key` cannot choose rows of one hash.
static __device__ inline uint64_t mix(uint64_t value, uint64_t key) {
    return (value * key) ^ __umul64hi(value, key);
}

static __device__ inline uint64_t row_hash(const rows_t *rows, uint64_t i, uint64_t key) {
    const uint64_t *row = rows->words + i * rows->stride;
    uint64_t value = mix(key ^ rows->lengths[i], key);
    for (uint64_t w = 0; w < rows->columns; w++) {
        value = mix(value ^ row[w], key) + w;
    }
    return mix(value, key);
}

static __device__ inline bool rows_equal(const rows_t *rows, uint64_t i, uint64_t k) {
    if (rows->lengths[i] != rows->lengths[k]) {
        return false;
    }
    const uint64_t *a = rows->words + i * rows->stride;
    const uint64_t *b = rows->words + k * rows->stride;
    for (uint64_t w = 0; w < rows->columns; w++) {
        if (a[w] != b[w]) {
            return false;
        }
    }
    return true;
}

// found[i]: the slot of row i in a table of more slots than there are rows, all zero at first. A slot
// has 1 + the least row that came to it; all rows of a slot are equal, and equal rows have one slot.
extern "C" __global__ void gpusnek_rows_find(const uint64_t *words, uint64_t stride, uint64_t columns,
    const uint32_t *lengths, uint64_t n, uint64_t key, uint32_t *table, uint64_t slots, uint32_t *found) {
    const rows_t rows = {words, stride, columns, lengths};
    const uint64_t i = thread_number();
    if (i >= n) {
        return;
    }
    const uint32_t own = (uint32_t)i + 1;
    uint64_t at = __umul64hi(row_hash(&rows, i, key), slots);
    for (;;) {
        uint32_t there = *(volatile uint32_t *)&table[at];
        if (there == 0) {
            there = atomicCAS(&table[at], 0u, own);
        }
        if (there == 0) {
            break;
        }
        if (rows_equal(&rows, i, there - 1)) {
            if (own < there) {
                atomicMin(&table[at], own);
            }
            break;
        }
        at = at + 1 == slots ? 0 : at + 1;
    }
    found[i] = (uint32_t)at;
}

// found[i], a slot until now: the first row that is equal to row i.
extern "C" __global__ void gpusnek_rows_first(uint32_t *found, uint64_t n, const uint32_t *table) {
    const uint64_t i = thread_number();
    if (i < n) {
        found[i] = table[found[i]] - 1;
    }
}

// n words of a copy, rows of `columns` words one after the other: row k is row which[k] of the source,
// or row k where `which` is null. Strides are in words, from row to row and from column to column.
extern "C" __global__ void gpusnek_rows_copy(uint64_t *to, uint64_t n, uint64_t columns,
    const uint64_t *source, uint64_t row_stride, uint64_t column_stride, const uint32_t *which) {
    const uint64_t i = thread_number();
    if (i < n) {
        const uint64_t row = which ? which[i / columns] : i / columns;
        to[i] = source[row * row_stride + i % columns * column_stride];
    }
}
