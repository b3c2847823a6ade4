// The types of <time.h>. The port reads time by the hook porter_clock_ns().
#ifndef PORTER_TIME_H
#define PORTER_TIME_H

#include <stddef.h>

typedef long time_t;

#endif
