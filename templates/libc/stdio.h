// The part of <stdio.h> that units use; shared/libc/printf.c has the bodies.
#ifndef PORTER_STDIO_H
#define PORTER_STDIO_H

#include <stddef.h>
#include <stdarg.h>

#define EOF (-1)
#define SEEK_SET 0
#define SEEK_CUR 1
#define SEEK_END 2

int printf(const char *format, ...);
int vprintf(const char *format, va_list arguments);
int putchar(int byte);
int puts(const char *text);
int snprintf(char *to, size_t size, const char *format, ...);
int vsnprintf(char *to, size_t size, const char *format, va_list arguments);

#endif
