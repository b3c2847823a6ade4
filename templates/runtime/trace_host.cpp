// Recording of the host twin's variant `traced`. g++ calls __sanitizer_cov_trace_pc at the start of
// each basic block (-fsanitize-coverage=trace-pc). Calls and returns are derived from the frame
// pointers of the calling functions.
#include "trace_host.h"

#if PORTER_TRACED

#include <vector>

#define EXPORT extern "C" __attribute__((visibility("default")))

// Type of a word, in its two highest bits. The others are its value.
enum : uint32_t {
    BLOCK = 0u << 30,  // a basic block: its address in the library
    CALL = 1u << 30,   // a call: its return address in the library
    RETURN = 2u << 30, // returns: their number
    BYTECODE = 3u << 30, // a bytecode instruction: its address; bit 29 is set in the fast path
};

struct Activation {
    uintptr_t frame; // frame pointer
    uintptr_t back;  // return address
};

struct Lane {
    uint32_t *next;
    uint32_t *end;
    std::vector<Activation> activations;
    bool cut; // its row was too short
};

static std::vector<Lane> lanes;
static thread_local Lane *lane; // the running interpreter's; null: it is not recorded
extern "C" __attribute__((visibility("hidden"))) const char __ehdr_start; // library's first byte

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

// Record the first `n` interpreters of later launches, each in its row of `words` words at `rows`.
EXPORT void gpusnek_trace(uint32_t n, uint32_t *rows, uint64_t words) {
    lanes.assign(n, Lane());
    for (uint32_t i = 0; i < n; i++) {
        lanes[i].next = rows + i * words;
        lanes[i].end = rows + (i + 1) * words;
        lanes[i].cut = false;
    }
}

// Return the number of words that interpreter `index` has written. *cut: whether words are missing.
EXPORT uint64_t gpusnek_traced(uint32_t index, const uint32_t *rows, uint64_t words, int *cut) {
    *cut = lanes[index].cut;
    return (uint64_t)(lanes[index].next - (rows + index * words));
}

// Record the instruction at `ip`, which the fast path or upstream's switch executes next.
extern "C" void porter_trace_bytecode(const void *ip, int fast) {
    if (lane) {
        put(BYTECODE | (fast ? 1u << 29 : 0) | ((uint32_t)(uintptr_t)ip & ((1u << 29) - 1)));
    }
}

// At a frame pointer, [0] is the caller's frame pointer and [1] the return address.
extern "C" void __sanitizer_cov_trace_pc(void) {
    if (!lane) {
        return;
    }
    const uintptr_t *const own = (const uintptr_t *)__builtin_frame_address(0);
    const uintptr_t frame = own[0], block = own[1], back = ((const uintptr_t *)frame)[1];
    std::vector<Activation> &stack = lane->activations;
    uint32_t returned = 0;
    // Another return address at the same frame pointer is another call by the same caller.
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
