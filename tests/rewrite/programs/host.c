// Runs a program of the behaviour tests as C.
#include <stdio.h>

void put(const char *what, long value) {
    printf("%s: %ld\n", what, value);
}

void put_double(const char *what, double value) {
    printf("%s: %.17g\n", what, value);
}

int program(void);

int main(void) {
    return program();
}
