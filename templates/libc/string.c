// C library functions of <string.h>. They process one byte at a time, and words where alignment
// permits.
//
// A unit: the rewriter processes this file like upstream's. The functions do not raise.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void *memchr(const void *memory, int byte, size_t size) {
    const unsigned char *at = (const unsigned char *)memory;
    for (; size != 0; --size, ++at) {
        if (*at == (unsigned char)byte) {
            return (void *)at;
        }
    }
    return NULL;
}

int memcmp(const void *left, const void *right, size_t size) {
    const unsigned char *a = (const unsigned char *)left;
    const unsigned char *b = (const unsigned char *)right;
    if ((((uintptr_t)a | (uintptr_t)b) & 7) == 0) {
        while (size >= 8 && *(const uint64_t *)(const void *)a == *(const uint64_t *)(const void *)b) {
            a += 8;
            b += 8;
            size -= 8;
        }
    }
    while (size != 0 && *a == *b) {
        ++a;
        ++b;
        --size;
    }
    return size == 0 ? 0 : *a - *b;
}

// Copy in ascending order, by words if both addresses have the same alignment. In a GPU's local
// memory an access to a word costs as much as an access to a byte.
static void copy_up(unsigned char *to, const unsigned char *from, size_t size) {
    if ((((uintptr_t)to ^ (uintptr_t)from) & 7) == 0) {
        for (; size != 0 && ((uintptr_t)to & 7) != 0; --size) {
            *to++ = *from++;
        }
        for (; size >= 8; size -= 8, to += 8, from += 8) {
            *(uint64_t *)(void *)to = *(const uint64_t *)(const void *)from;
        }
    }
    for (; size != 0; --size) {
        *to++ = *from++;
    }
}

void *memcpy(void *to, const void *from, size_t size) {
    copy_up((unsigned char *)to, (const unsigned char *)from, size);
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    unsigned char *t = (unsigned char *)to;
    const unsigned char *f = (const unsigned char *)from;
    if ((uintptr_t)t - (uintptr_t)f >= size) {
        // The destination does not start inside the source (the difference is unsigned), so an
        // ascending copy overwrites no unread byte.
        copy_up(t, f, size);
    } else {
        while (size != 0) {
            --size;
            t[size] = f[size];
        }
    }
    return to;
}

void *memset(void *memory, int byte, size_t size) {
    unsigned char *at = (unsigned char *)memory;
    uint64_t word = (unsigned char)byte * 0x0101010101010101UL;
    for (; size != 0 && ((uintptr_t)at & 7) != 0; --size) {
        *at++ = (unsigned char)byte;
    }
    for (; size >= 8; size -= 8, at += 8) {
        *(uint64_t *)(void *)at = word;
    }
    for (; size != 0; --size) {
        *at++ = (unsigned char)byte;
    }
    return memory;
}

size_t strlen(const char *text) {
    const char *end = text;
    while (*end != 0) {
        ++end;
    }
    return (size_t)(end - text);
}

char *strcpy(char *to, const char *from) {
    memcpy(to, from, strlen(from) + 1);
    return to;
}

char *strncpy(char *to, const char *from, size_t size) {
    size_t i = 0;
    for (; i < size && from[i] != 0; ++i) {
        to[i] = from[i];
    }
    for (; i < size; ++i) {
        to[i] = 0;
    }
    return to;
}

char *strcat(char *to, const char *from) {
    strcpy(to + strlen(to), from);
    return to;
}

int strncmp(const char *left, const char *right, size_t size) {
    for (; size != 0; --size, ++left, ++right) {
        if (*left != *right) {
            return (unsigned char)*left - (unsigned char)*right;
        }
        if (*left == 0) {
            return 0;
        }
    }
    return 0;
}

int strcmp(const char *left, const char *right) {
    return strncmp(left, right, SIZE_MAX);
}

char *strchr(const char *text, int byte) {
    for (;; ++text) {
        if (*text == (char)byte) {
            return (char *)text;
        }
        if (*text == 0) {
            return NULL;
        }
    }
}

char *strrchr(const char *text, int byte) {
    const char *found = NULL;
    for (;; ++text) {
        if (*text == (char)byte) {
            found = text;
        }
        if (*text == 0) {
            return (char *)found;
        }
    }
}

size_t strspn(const char *text, const char *accept) {
    size_t n = 0;
    while (text[n] != 0 && strchr(accept, text[n]) != NULL) {
        ++n;
    }
    return n;
}

size_t strcspn(const char *text, const char *reject) {
    size_t n = 0;
    while (text[n] != 0 && strchr(reject, text[n]) == NULL) {
        ++n;
    }
    return n;
}

char *strstr(const char *text, const char *part) {
    size_t size = strlen(part);
    for (;; ++text) {
        if (strncmp(text, part, size) == 0) {
            return (char *)text;
        }
        if (*text == 0) {
            return NULL;
        }
    }
}
