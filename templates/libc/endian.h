// The part of <endian.h> that units use: both targets are little-endian.
#ifndef PORTER_ENDIAN_H
#define PORTER_ENDIAN_H

#define __LITTLE_ENDIAN 1234
#define __BIG_ENDIAN 4321
#define __BYTE_ORDER __LITTLE_ENDIAN

#endif
