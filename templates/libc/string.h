// The part of <string.h> that units use; bodies in string.c.
#ifndef PORTER_STRING_H
#define PORTER_STRING_H

#include <stddef.h>

void *memchr(const void *memory, int byte, size_t size);
int memcmp(const void *left, const void *right, size_t size);
void *memcpy(void *to, const void *from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *memory, int byte, size_t size);
char *strcat(char *to, const char *from);
char *strchr(const char *text, int byte);
int strcmp(const char *left, const char *right);
char *strcpy(char *to, const char *from);
size_t strcspn(const char *text, const char *reject);
size_t strlen(const char *text);
int strncmp(const char *left, const char *right, size_t size);
char *strncpy(char *to, const char *from, size_t size);
char *strrchr(const char *text, int byte);
size_t strspn(const char *text, const char *accept);
char *strstr(const char *text, const char *part);

#endif
