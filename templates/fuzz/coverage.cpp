// Coverage as g++ reports it (-fsanitize-coverage=trace-pc,trace-cmp), counted where libFuzzer
// looks for counters that no clang made. Linked with --wrap=__sanitizer_cov_trace_pc: libFuzzer
// has a function of that name, which does nothing.
#include <stdint.h>

static const uintptr_t COUNTERS = 1 << 17; // a power of two, well above the number of blocks

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

extern "C" {

void __wrap___sanitizer_cov_trace_pc(void) {
    const uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    counters[(pc ^ pc >> 17) & (COUNTERS - 1)]++;
}

// libFuzzer learns from comparisons of integers only.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}
}
