// Runs generated programs as the C that they are.
#include <stdio.h>

void put(const char *what, unsigned long value) {
    printf("%s %016lx\n", what, value);
    fflush(stdout); // a crash tells how far it came
}

int program(void);

int main(void) {
    return program();
}
