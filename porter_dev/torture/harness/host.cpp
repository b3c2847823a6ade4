// Main program for rewritten generated programs: initializes one state, runs program(), and checks
// that no unwind is pending at its end. `porter torture` compares its output with that of host.c.
#include "porter_runtime.h"
#include "unwind.inc"

#include <cstdio>

__thread porter_state_t *porter_state_current;

extern "C" void put(const char *what, unsigned long value) {
    std::printf("%s %016lx\n", what, value);
    std::fflush(stdout); // so that output before a crash is complete
}

extern "C" void porter_stack_overflow(void) {
}

extern "C" int program(void);

int main() {
    static porter_state_t state; // zeroed, like the runtime's
    porter_state_current = &state;
    porter_state_init();
    porter_setup();
    int status = program();
    if (state.porter_unwind != nullptr) {
        std::printf("still unwinding\n");
        return 1;
    }
    return status;
}
