// The part of <ctype.h> that units use, for ASCII only.
#ifndef PORTER_CTYPE_H
#define PORTER_CTYPE_H

static inline int porter_isdigit(int c) {
    return (unsigned int)c - '0' < 10;
}

static inline int porter_isalpha(int c) {
    return ((unsigned int)c | 32) - 'a' < 26;
}

static inline int porter_isspace(int c) {
    return c == ' ' || (unsigned int)c - '\t' < 5;
}

#define isdigit(c) porter_isdigit(c)
#define isalpha(c) porter_isalpha(c)
#define isalnum(c) (porter_isalpha(c) || porter_isdigit(c))
#define isspace(c) porter_isspace(c)
#define isupper(c) ((unsigned int)(c) - 'A' < 26)
#define islower(c) ((unsigned int)(c) - 'a' < 26)
#define isprint(c) ((unsigned int)(c) - ' ' < 95)
#define isxdigit(c) (porter_isdigit(c) || ((unsigned int)(c) | 32) - 'a' < 6)
#define toupper(c) (islower(c) ? (c) - 32 : (c))
#define tolower(c) (isupper(c) ? (c) + 32 : (c))

#endif
