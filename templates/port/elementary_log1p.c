// Upstream's log1p. Its header names the type long double, in operations that only raise
// floating-point flags. GPUs lack the type, so the name means double here.
#include <math.h>
#include <stdint.h>

#define long
#include "lib/libm_dbl/log1p.c"
