// The recording of the host twin's variant `traced`. g++ calls __sanitizer_cov_trace_pc at the
// beginning of each basic block (-fsanitize-coverage=trace-pc). Calls and returns follow from the
// frame pointers of the functions that call it.
#include "trace_host.h"

#if PORTER_TRACED

#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

// The two highest bits of a word say what it is; the others are its value.
enum : uint32_t {
    BLOCK = 0u << 30,  // a basic block: its address in the library
    CALL = 1u << 30,   // a function was called: where it will return to, in the library
    RETURN = 2u << 30, // so many functions returned
    BYTECODE = 3u << 30, // an instruction: bit 29 tells the fast path's loop, the rest is its address
};

struct Activation {
    uintptr_t frame; // its frame pointer
    uintptr_t back;  // the address that it returns to
};

struct Lane {
    uint32_t *next;
    uint32_t *end;
    std::vector<Activation> activations;
    bool cut; // it had more than there is room for
};

static std::vector<Lane> lanes;
static thread_local Lane *lane; // whose turn it is
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start; // the library's first byte

static uint32_t place(uintptr_t address) {
    return (uint32_t)(address - (uintptr_t)&__ehdr_start) & ~(3u << 30);
}

static void put(uint32_t word) {
    if (lane->next < lane->end) {
        *lane->next++ = word;
    } else {
        lane->cut = true;
    }
}

void trace_begin(uint32_t index) {
    lane = index < lanes.size() ? &lanes[index] : nullptr;
}

void trace_end() {
    lane = nullptr;
}

// Records the first `n` interpreters of the launches to come, each in its row of `words` at `rows`;
// none with n = 0.
EXPORT void gpusnek_trace(uint32_t n, uint32_t *rows, uint64_t words) {
    lanes.assign(n, Lane());
    for (uint32_t i = 0; i < n; i++) {
        lanes[i].next = rows + i * words;
        lanes[i].end = rows + (i + 1) * words;
        lanes[i].cut = false;
    }
}

// How many words interpreter `index` has written; whether it had more.
EXPORT uint64_t gpusnek_traced(uint32_t index, const uint32_t *rows, uint64_t words, int *cut) {
    *cut = lanes[index].cut;
    return (uint64_t)(lanes[index].next - (rows + index * words));
}

// The instruction at `ip` comes next: in the fast path's loop, or in upstream's switch.
extern "C" void porter_trace_bytecode(const void *ip, int fast) {
    if (lane) {
        put(BYTECODE | (fast ? 1u << 29 : 0) | ((uint32_t)(uintptr_t)ip & ((1u << 29) - 1)));
    }
}

// The calling function has a frame pointer: [0] is its caller's, [1] where it returns to.
extern "C" void __sanitizer_cov_trace_pc(void) {
    if (!lane) {
        return;
    }
    const uintptr_t *const own = (const uintptr_t *)__builtin_frame_address(0);
    const uintptr_t frame = own[0], block = own[1], back = ((const uintptr_t *)frame)[1];
    std::vector<Activation> &stack = lane->activations;
    uint32_t returned = 0;
    // Another return address with this frame pointer: the block before called two functions.
    while (!stack.empty() && (stack.back().frame < frame
            || (stack.back().frame == frame && stack.back().back != back))) {
        stack.pop_back();
        returned++;
    }
    if (returned) {
        put(RETURN | returned);
    }
    if (stack.empty() || stack.back().frame != frame) {
        stack.push_back({frame, back});
        put(CALL | place(back));
    }
    put(BLOCK | place(block));
}

#endif
