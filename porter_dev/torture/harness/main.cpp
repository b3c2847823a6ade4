// Main program for the test of a rewritten library, whose main() is renamed to porter_main():
// initializes one state and checks that no unwind is pending at its end.
#include "porter_runtime.h"
#include "unwind.inc"

#include <cstdio>

__thread porter_state_t *porter_state_current;

extern "C" void porter_stack_overflow(void) {
}

extern "C" int porter_main(int count, char **words);

int main(int count, char **words) {
    static porter_state_t state; // zeroed, like the runtime's
    porter_state_current = &state;
    porter_state_init();
    porter_setup();
    int status = porter_main(count, words);
    if (state.porter_unwind != nullptr) {
        std::printf("still unwinding\n");
        return 1;
    }
    return status;
}
