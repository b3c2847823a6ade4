// Bounds checks of the host twin. g++ calls them before each load and store of rewritten units that
// it cannot prove to access a local variable (-fsanitize=kernel-address, which leaves the
// definition of the checks to the program).
#if PORTER_BOUNDS_CHECKS
#include "fences_host.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "interpreter.h"
#include "turn.h"

// Bounds of the running interpreter. They are in thread-local memory, which no permitted range
// contains, so a program cannot change them. The comparisons of fences_inline.h read them.
__thread porter_bounds_t porter_bounds;
static_assert(offsetof(porter_bounds_t, arena) == 0 && offsetof(porter_bounds_t, loads) == 8
        && offsetof(porter_bounds_t, stores) == 16 && offsetof(porter_bounds_t, above) == 24
        && offsetof(porter_bounds_t, above_room) == 32 && offsetof(porter_bounds_t, stack) == 40
        && offsetof(porter_bounds_t, stack_room) == 48 && offsetof(porter_bounds_t, constants) == 56
        && offsetof(porter_bounds_t, constants_room) == 64
        && offsetof(porter_bounds_t, recent) == 72 && sizeof(porter_recent_t) == 48
        && offsetof(porter_recent_t, room) == 8,
    "fences_inline.h has these offsets");

namespace {

extern "C" {
extern __attribute__((visibility("hidden"))) const char __ehdr_start[]; // this library's first byte
extern __attribute__((visibility("hidden"))) const char _end[];         // and end, from the linker
}

inline bool within(uint64_t address, uint64_t size, uint64_t low, uint64_t room) {
    return address - low < room && size <= room - (address - low);
}

// The number of addresses in `size` bytes at which an access of the widest kind begins that lies
// within them.
inline uint64_t room_of(uint64_t size) {
    return size < PORTER_WIDEST ? 0 : size - PORTER_WIDEST + 1;
}

// Let the comparisons before checks find the range of a load. Ranges grow until the table of the
// interpreter begins anew (porter_ranges_begin), which calls fence_forget.
void remember(const porter_range_t &range) {
    porter_recent_t &recent = porter_bounds.recent[0];
    porter_bounds.recent[1] = recent;
    recent.low = range.low;
    for (unsigned width = 0; width < 5; width++) {
        recent.room[width] = range.size < (1u << width) ? 0 : range.size - (1u << width) + 1;
    }
}

// Whether an access outside of arena and C stack is permitted.
bool listed(uint64_t address, uint64_t size, bool store) {
    const porter_ranges_t *ranges = porter_bounds.ranges;
    if (!ranges) {
        return true;
    }
    if (!store && within(address, size, (uint64_t)__ehdr_start, _end - __ehdr_start)) {
        return true;
    }
    for (uint32_t k = store ? ranges->reads : 0; k < ranges->count && k < PORTER_RANGES; k++) {
        if (within(address, size, ranges->range[k].low, ranges->range[k].size)) {
            if (!store) {
                remember(ranges->range[k]);
            }
            return true;
        }
    }
    return false;
}

// The list of the places of all checks, which porter/compile/check_locations.py writes beside the library.
struct Places {
    const char *text = nullptr;
    size_t size = 0;

    Places() {
        Dl_info library;
        char path[4096];
        struct stat about;
        if (!dladdr(__ehdr_start, &library)
            || snprintf(path, sizeof path, "%.*splaces", (int)strlen(library.dli_fname) - 2,
                library.dli_fname) >= (int)sizeof path) {
            return;
        }
        const int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0) {
            return;
        }
        if (fstat(file, &about) == 0 && about.st_size > 0) {
            void *map = mmap(nullptr, about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
            text = map == MAP_FAILED ? nullptr : (const char *)map;
            size = text ? about.st_size : 0;
        }
        close(file);
    }
};

// Write the place ("py/obj.c:123") of the check whose call returns to `from`.
void find_place(const void *from, char *place, size_t room) {
    static const Places places;
    char key[16];
    const unsigned long long offset = (const char *)from - __ehdr_start;
    const int length = snprintf(key, sizeof key, "\n%08llx ", offset);
    const char *found =
        places.text ? (const char *)memmem(places.text, places.size, key, length) : nullptr;
    if (found) {
        const char *end = (const char *)memchr(
            found + length, '\n', places.text + places.size - found - length);
        snprintf(place, room, "%.*s", end ? (int)(end - found - length) : 0, found + length);
    } else {
        snprintf(place, room, "libgpusnek.so+0x%llx", offset);
    }
}

__attribute__((noinline)) void failed(uint64_t address, unsigned kind, const void *from) {
    char place[128]; // on the interpreter's own C stack, so that the port may read it
    find_place(from, place, sizeof place);
    porter_fence_failed(place, (const void *)address, kind);
}

// Check an access of any size, and end the interpreter if it is not permitted.
__attribute__((noinline)) void check(
    uint64_t address, uint64_t size, unsigned kind, const void *from) {
    const porter_bounds_t &bounds = porter_bounds;
    const bool store = kind == PORTER_FENCE_STORE;
    if (within(address, size, bounds.arena, bounds.arena_size)) {
        // A store must lie entirely below or above the sealed part.
        if (!store || address - (bounds.sealed - size + 1) >= bounds.sealed_size + size - 1) {
            return;
        }
    } else if (within(address, size, bounds.stack, bounds.stack_size)
        || listed(address, size, store)) {
        return;
    }
    failed(address, kind, from);
}

// Whether a load of 1, 2, 4, 8 or 16 bytes is in a range.
inline bool again(const porter_recent_t &range, uint64_t address, uint64_t size) {
    return address - range.low < range.room[__builtin_ctzll(size)];
}

// Check an access of at most PORTER_WIDEST bytes. The comparisons find most permitted accesses:
// those to the arena, and then to constants of the library, to variables of the interpreter above
// the sealed part, and to the C stack. check() decides about all others.
inline __attribute__((always_inline)) void check_load(
    uint64_t address, uint64_t size, const void *from) {
    const porter_bounds_t &bounds = porter_bounds;
    if (address - bounds.arena < bounds.loads
        || address - bounds.constants < bounds.constants_room
        || again(bounds.recent[0], address, size) || again(bounds.recent[1], address, size)
        || address - bounds.stack < bounds.stack_room) {
        return;
    }
    check(address, size, PORTER_FENCE_LOAD, from);
}

inline __attribute__((always_inline)) void check_store(
    uint64_t address, uint64_t size, const void *from) {
    const porter_bounds_t &bounds = porter_bounds;
    if (address - bounds.arena < bounds.stores || address - bounds.above < bounds.above_room
        || address - bounds.stack < bounds.stack_room) {
        return;
    }
    check(address, size, PORTER_FENCE_STORE, from);
}

} // namespace

void fence_stack(const char *stack, size_t size) {
    porter_bounds.stack = (uint64_t)stack;
    porter_bounds.stack_size = size;
    porter_bounds.stack_room = room_of(size);
}

void fence_arena(const char *low, const char *end) {
    porter_bounds_t &bounds = porter_bounds;
    fence_forget();
    if (low == nullptr) {
        bounds.ranges = nullptr;
        bounds.arena_size = bounds.sealed_size = 0;
        bounds.loads = bounds.stores = bounds.above_room = 0;
        bounds.constants_room = 0;
        return;
    }
    bounds.constants = (uint64_t)__ehdr_start;
    bounds.constants_room = room_of(_end - __ehdr_start);
    char *state = (char *)porter_state_current;
    bounds.ranges = &porter_state_current->porter_ranges;
    bounds.arena = (uint64_t)low;
    bounds.arena_size = end - low;
    bounds.sealed = (uint64_t)&gpusnek_head(state)->sealed;
    bounds.sealed_size = (uint64_t)(bounds.ranges + 1) - bounds.sealed;
    bounds.loads = room_of(bounds.arena_size);
    bounds.stores = room_of(bounds.sealed - bounds.arena);
    bounds.above = bounds.sealed + bounds.sealed_size;
    bounds.above_room = room_of(bounds.arena + bounds.arena_size - bounds.above);
}

void fence_nothing() {
    porter_bounds = porter_bounds_t();
}

void fence_check(const void *address, size_t size, unsigned kind) {
    if (size > 0) {
        check((uint64_t)address, size, kind, __builtin_return_address(0));
    }
}

extern "C" {

void porter_fence_failed(const char *place, const void *address, unsigned kind) {
    gpusnek_fenced((char *)porter_state_current, place, address, kind);
    gpusnek_end_here(GPUSNEK_STATUS_OUT_OF_BOUNDS);
}

#define CHECKS(name, size) \
    void __asan_load##name##_noabort(uint64_t address) { \
        check_load(address, size, __builtin_return_address(0)); \
    } \
    void __asan_store##name##_noabort(uint64_t address) { \
        check_store(address, size, __builtin_return_address(0)); \
    }
CHECKS(1, 1)
CHECKS(2, 2)
CHECKS(4, 4)
CHECKS(8, 8)
CHECKS(16, 16)

void __asan_loadN_noabort(uint64_t address, uint64_t size) {
    if (size > 0 && !within(address, size, porter_bounds.arena, porter_bounds.arena_size)
        && !within(address, size, porter_bounds.constants, porter_bounds.constants_room)) {
        check(address, size, PORTER_FENCE_LOAD, __builtin_return_address(0));
    }
}

void __asan_storeN_noabort(uint64_t address, uint64_t size) {
    if (size > 0) {
        check(address, size, PORTER_FENCE_STORE, __builtin_return_address(0));
    }
}

void __asan_handle_no_return(void) {}
}
#endif
