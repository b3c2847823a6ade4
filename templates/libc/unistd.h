// Upstream includes this for ssize_t and the seek constants only.
#ifndef PORTER_UNISTD_H
#define PORTER_UNISTD_H

#include <sys/types.h>

#ifndef SEEK_SET
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2
#endif

#endif
