// Runs a rewritten program on the host: one state, its initial values, and output.
#include "porter_runtime.h"
#include "unwind.inc"

#include <cstdio>

__thread porter_state_t *porter_state_current;

extern "C" void put(const char *what, long value) {
    std::printf("%s: %ld\n", what, value);
}

extern "C" void put_double(const char *what, double value) {
    std::printf("%s: %.17g\n", what, value);
}

extern "C" int program(void);

int main() {
    static porter_state_t state; // zeroed, as the runtime's is
    porter_state_current = &state;
    porter_state_init();
    porter_setup();
    int status = program();
    if (state.porter_unwind != nullptr) {
        std::printf("still unwinding\n");
    }
    return status;
}
