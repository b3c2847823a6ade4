// Types only: the port takes the time from its own clock hook.
#ifndef PORTER_TIME_H
#define PORTER_TIME_H

#include <stddef.h>

typedef long time_t;

#endif
