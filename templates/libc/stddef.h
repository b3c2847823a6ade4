// Freestanding <stddef.h> for x86-64 LP64.
#ifndef PORTER_STDDEF_H
#define PORTER_STDDEF_H

typedef unsigned long size_t;
typedef long ptrdiff_t;

#ifndef __cplusplus
typedef int wchar_t;
#endif

#ifdef NULL
#undef NULL
#endif
#define NULL ((void *)0)
#define offsetof(type, member) __builtin_offsetof(type, member)

#endif
