// Main program for generated programs that are compiled as plain C; the expected output of
// host.cpp.
#include <stdio.h>

void put(const char *what, unsigned long value) {
    printf("%s %016lx\n", what, value);
    fflush(stdout); // so that output before a crash is complete
}

int program(void);

int main(void) {
    return program();
}
