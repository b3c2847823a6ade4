// Kernels over arrays of all interpreters: equal rows and copies of rows
// (porter/run/device/cuda_operations.py), and operations on snapshots
// (porter/run/device/snapshots.py). They are part of each device build, so no kernel is compiled
// when a program runs. All sizes are 64 bits wide. A grid has at least as many threads as items of
// work.
//
// Table of equal rows (gpusnek_rows_find). Problem: group millions of rows by content in one pass.
// Mechanism: a hash table with linear probing, in which a slot is 0 or 1 + the number of a row.
// Invariants:
//   E1  A slot changes from 0 to a row by one compare and swap, then only to smaller numbers of
//       equal rows (atomicMin). So all rows of a slot are equal, whatever value a thread has read.
//   E2  Slots never become 0 again. So equal rows probe the same sequence and end in one slot.
//   E3  There are more slots than rows, so each search ends.
// Progress: lock-free; a failed compare and swap yields a row to compare with.
// Memory order: relaxed. Rows are written before the kernel starts, and slots hold no addresses.
#include <stdint.h>

#include "launch.h"

// Rows of `columns` words. Row i begins at words[i * stride] and has the length lengths[i].
typedef struct {
    const uint64_t *words;
    uint64_t stride;
    uint64_t columns;
    const uint32_t *lengths;
} rows_t;

static __device__ inline uint64_t thread_number() {
    return (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
}

// Mix the halves of a 128-bit product. Programs do not know `key`, so they cannot provoke
// collisions.
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

// Write the slot of row i to found[i]. table: `slots` zeros, more than rows (E3). Afterwards a slot
// has 1 + the smallest number of its rows.
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

// Replace found[i], the slot of row i, by the first row that equals row i.
extern "C" __global__ void gpusnek_rows_first(uint32_t *found, uint64_t n, const uint32_t *table) {
    const uint64_t i = thread_number();
    if (i < n) {
        found[i] = table[found[i]] - 1;
    }
}

// Copy rows: n words in rows of `columns` words. Row k is row which[k] of the source, or row k if
// `which` is null. The strides, from row to row and from column to column, are in words.
extern "C" __global__ void gpusnek_rows_copy(uint64_t *to, uint64_t n, uint64_t columns,
    const uint64_t *source, uint64_t row_stride, uint64_t column_stride, const uint32_t *which) {
    const uint64_t i = thread_number();
    if (i < n) {
        const uint64_t row = which ? which[i / columns] : i / columns;
        to[i] = source[row * row_stride + i % columns * column_stride];
    }
}

// The snapshots of an array of interpreters (launch.h). These kernels run between launches, so no
// interpreter changes its snapshot meanwhile. bases, used: per snapshot, as in gpusnek_launch_t.
typedef struct {
    gpusnek_page_t *pages;
    uint64_t stride;
    const uint64_t *segments;
    uint64_t shift;
} snapshots_t;

static __device__ inline uint64_t *row_at(const snapshots_t *snapshots, uint64_t row) {
    const uint64_t within = row & (((uint64_t)1 << snapshots->shift) - 1);
    return (uint64_t *)snapshots->segments[row >> snapshots->shift] + within * GPUSNEK_ROW_WORDS;
}

// Return the index in a row of word w of the lane's page.
static __device__ inline uint64_t in_row(uint64_t lane, uint64_t w) {
    return (w / 2 * GPUSNEK_BUNDLE + lane) * 2 + w % 2;
}

static __device__ inline uint64_t base_size(const uint64_t *base) {
    return base ? base[-(int)GPUSNEK_PAGE_WORDS] : 0;
}

// Write contiguous copies of snapshots in the format of base snapshots, `columns` words each and n
// in all: a page with the number of pages, then the pages. Copy k is of snapshot which[k].
extern "C" __global__ void gpusnek_snapshots_copy(uint64_t *to, uint64_t n, uint64_t columns,
    const uint32_t *which, const gpusnek_page_t *pages, uint64_t stride, const uint64_t *segments,
    uint64_t shift, const uint64_t *bases, const uint32_t *used) {
    const snapshots_t snapshots = {(gpusnek_page_t *)pages, stride, segments, shift};
    const uint64_t t = thread_number();
    if (t >= n) {
        return;
    }
    const uint64_t i = which[t / columns];
    const uint64_t word = t % columns;
    const uint64_t w = word % GPUSNEK_PAGE_WORDS;
    uint64_t found = 0;
    if (word < GPUSNEK_PAGE_WORDS) {
        found = w == 0 ? used[i] : 0;
    } else {
        const uint64_t page = word / GPUSNEK_PAGE_WORDS - 1;
        const uint64_t lane = i % GPUSNEK_BUNDLE;
        const uint64_t *base = (const uint64_t *)bases[i];
        if (page < used[i]) {
            const gpusnek_page_t entry = pages[i / GPUSNEK_BUNDLE * stride + page];
            if (entry.snapshots >> lane & 1) {
                found = row_at(&snapshots, entry.row - 1)[in_row(lane, w)];
            } else if (page < base_size(base)) {
                found = base[page * GPUSNEK_PAGE_WORDS + w];
            }
        }
    }
    to[t] = found;
}

// Set tells[p] to 1 if page p of a snapshot with the base `old` is the base's. A new base must keep
// such a page unchanged. Set tells[stride] to 1 if a snapshot has another base. Each thread handles
// a snapshot and an entry.
extern "C" __global__ void gpusnek_snapshots_common(const gpusnek_page_t *pages, uint64_t entries,
    uint64_t stride, const uint64_t *bases, const uint32_t *used, uint64_t n, uint64_t old,
    uint32_t *tells) {
    const uint64_t e = thread_number() / GPUSNEK_BUNDLE;
    const uint64_t lane = thread_number() % GPUSNEK_BUNDLE;
    const uint64_t i = e / stride * GPUSNEK_BUNDLE + lane;
    const uint64_t page = e % stride;
    if (e >= entries || i >= n || page >= used[i]) {
        return;
    }
    if (bases[i] != old) {
        *(volatile uint32_t *)&tells[stride] = 1;
    } else if (old != 0 && (pages[e].snapshots >> lane & 1) == 0) {
        *(volatile uint32_t *)&tells[page] = 1;
    }
}

// Turn the n words at `to`, a copy of a snapshot with the base `old`, into a new base for all
// snapshots with that base: pages whose `tells` is 1 are copied from `old`.
extern "C" __global__ void gpusnek_snapshots_merge(
    uint64_t *to, uint64_t n, const uint64_t *old, const uint32_t *tells) {
    const uint64_t t = thread_number();
    const uint64_t page = t / GPUSNEK_PAGE_WORDS;
    if (t < n && tells[page] && page < base_size(old)) {
        to[t] = old[t];
    }
}

// Clear the mask bits of pages that equal the page of the new base `base`, in snapshots with the
// base `old`. Each thread handles a snapshot and an entry.
extern "C" __global__ void gpusnek_snapshots_compare(gpusnek_page_t *pages, uint64_t entries,
    uint64_t stride, const uint64_t *segments, uint64_t shift, const uint64_t *bases,
    const uint32_t *used, uint64_t n, uint64_t old, const uint64_t *base) {
    const snapshots_t snapshots = {pages, stride, segments, shift};
    const uint64_t e = thread_number() / GPUSNEK_BUNDLE;
    const uint64_t lane = thread_number() % GPUSNEK_BUNDLE;
    if (e >= entries) {
        return;
    }
    const uint64_t i = e / stride * GPUSNEK_BUNDLE + lane;
    const uint64_t page = e % stride;
    if (i >= n || bases[i] != old || page >= used[i] || page >= base_size(base)) {
        return;
    }
    const uint32_t bit = (uint32_t)1 << lane;
    if ((*(volatile uint32_t *)&pages[e].snapshots & bit) == 0) {
        return;
    }
    const uint64_t *row = row_at(&snapshots, pages[e].row - 1);
    uint64_t differs = 0;
    for (uint64_t w = 0; w < GPUSNEK_PAGE_WORDS; w++) {
        differs |= row[in_row(lane, w)] ^ base[page * GPUSNEK_PAGE_WORDS + w];
    }
    if (!differs) {
        atomicAnd(&pages[e].snapshots, ~bit);
    }
}

// Set the base of all snapshots with the base `old` to `base`.
extern "C" __global__ void gpusnek_snapshots_based(
    uint64_t *bases, const uint32_t *used, uint64_t n, uint64_t old, uint64_t base) {
    const uint64_t i = thread_number();
    if (i < n && used[i] != 0 && bases[i] == old) {
        bases[i] = base;
    }
}

// Write 1 + the number of the owning entry to owners[row], for n entries. Free the rows in which no
// snapshot has a page.
extern "C" __global__ void gpusnek_snapshots_owners(
    gpusnek_page_t *pages, uint64_t n, uint64_t *owners) {
    const uint64_t e = thread_number();
    if (e < n && pages[e].row != 0) {
        if (pages[e].snapshots == 0) {
            pages[e].row = 0;
        } else {
            owners[pages[e].row - 1] = e + 1;
        }
    }
}

// Move row from[k] to row to[k], n words in all.
extern "C" __global__ void gpusnek_snapshots_move(gpusnek_page_t *pages, const uint64_t *segments,
    uint64_t shift, const uint32_t *from, const uint32_t *to, const uint64_t *owners, uint64_t n) {
    const snapshots_t snapshots = {pages, 0, segments, shift};
    const uint64_t t = thread_number();
    if (t >= n) {
        return;
    }
    const uint64_t k = t / GPUSNEK_ROW_WORDS;
    const uint64_t w = t % GPUSNEK_ROW_WORDS;
    row_at(&snapshots, to[k])[w] = row_at(&snapshots, from[k])[w];
    if (w == 0) {
        pages[owners[from[k]] - 1].row = to[k] + 1;
    }
}
