// The part of <stdlib.h> that units use; bodies in stdlib.c. There is no C heap.
#ifndef PORTER_STDLIB_H
#define PORTER_STDLIB_H

#include <stddef.h>

#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1

int abs(int value);
long labs(long value);
long long llabs(long long value);
_Noreturn void abort(void);
_Noreturn void exit(int status);
long strtol(const char *text, char **end, int base);
unsigned long strtoul(const char *text, char **end, int base);
void qsort(void *base, size_t count, size_t size,
    int (*compare)(const void *left, const void *right));

#endif
