// Freestanding <alloca.h>: the compiler's builtin, for both compilers.
#ifndef PORTER_ALLOCA_H
#define PORTER_ALLOCA_H

#include <stddef.h>

#define alloca(size) __builtin_alloca(size)

#endif
