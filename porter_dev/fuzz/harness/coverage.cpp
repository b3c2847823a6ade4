// Coverage counters for libFuzzer in a program that g++ compiles.
//
// g++ reports each basic block by -fsanitize-coverage=trace-pc,trace-cmp. This file counts the
// reports in the section that libFuzzer reads for counters without clang. Linked with
// --wrap=__sanitizer_cov_trace_pc, because libFuzzer defines an empty function of that name.
#include <stdint.h>

static const uintptr_t COUNTERS = 1 << 17; // a power of two, well above the number of basic blocks

__attribute__((section("__libfuzzer_extra_counters"))) static uint8_t counters[COUNTERS];

extern "C" {

void __wrap___sanitizer_cov_trace_pc(void) {
    const uintptr_t pc = (uintptr_t)__builtin_return_address(0);
    counters[(pc ^ pc >> 17) & (COUNTERS - 1)]++;
}

// libFuzzer uses comparisons of integers only.
void __sanitizer_cov_trace_cmpf(float, float) {}
void __sanitizer_cov_trace_cmpd(double, double) {}
}
