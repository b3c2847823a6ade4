// Portable bodies for compiler builtins that nvcc does not offer to device code.
#ifndef PORTER_BUILTINS_H
#define PORTER_BUILTINS_H

// As with the builtins, clz and ctz of 0 are undefined.
static inline int porter_clzll(unsigned long long x) {
    int n = 0;
    if ((x >> 32) == 0) {
        n += 32;
        x <<= 32;
    }
    if ((x >> 48) == 0) {
        n += 16;
        x <<= 16;
    }
    if ((x >> 56) == 0) {
        n += 8;
        x <<= 8;
    }
    if ((x >> 60) == 0) {
        n += 4;
        x <<= 4;
    }
    if ((x >> 62) == 0) {
        n += 2;
        x <<= 2;
    }
    return n + (int)((x >> 63) == 0);
}

static inline int porter_clzl(unsigned long x) {
    return porter_clzll(x);
}

static inline int porter_clz(unsigned int x) {
    return porter_clzll(x) - 32;
}

static inline int porter_ctzll(unsigned long long x) {
    // x & -x keeps the lowest set bit alone; its distance from the top gives the count.
    return 63 - porter_clzll(x & (0 - x));
}

static inline int porter_ctzl(unsigned long x) {
    return porter_ctzll(x);
}

static inline int porter_ctz(unsigned int x) {
    return porter_ctzll(x);
}

static inline int porter_popcount(unsigned int x) {
    x = x - ((x >> 1) & 0x55555555u);
    x = (x & 0x33333333u) + ((x >> 2) & 0x33333333u);
    x = (x + (x >> 4)) & 0x0f0f0f0fu;
    return (int)((x * 0x01010101u) >> 24);
}

static inline unsigned short porter_bswap16(unsigned short x) {
    return (unsigned short)((x >> 8) | (x << 8));
}

static inline unsigned int porter_bswap32(unsigned int x) {
    return (x >> 24) | ((x >> 8) & 0xff00u) | ((x << 8) & 0xff0000u) | (x << 24);
}

static inline unsigned long long porter_bswap64(unsigned long long x) {
    return ((unsigned long long)porter_bswap32((unsigned int)x) << 32)
           | porter_bswap32((unsigned int)(x >> 32));
}

// The overflow checks store the wrapped result, as the builtins do, and return 1 on overflow.
static inline int porter_umulll_overflow(unsigned long long a, unsigned long long b,
    unsigned long long *result) {
    unsigned __int128 product = (unsigned __int128)a * b;
    *result = (unsigned long long)product;
    return (product >> 64) != 0;
}

static inline int porter_smulll_overflow(long long a, long long b, long long *result) {
    __int128 product = (__int128)a * b;
    *result = (long long)product;
    return product != (__int128)*result;
}

static inline int porter_saddll_overflow(long long a, long long b, long long *result) {
    unsigned long long sum = (unsigned long long)a + (unsigned long long)b;
    *result = (long long)sum;
    // Overflow happened exactly when both operands differ in sign from the sum.
    return (int)((((unsigned long long)a ^ sum) & ((unsigned long long)b ^ sum)) >> 63);
}

static inline int porter_ssubll_overflow(long long a, long long b, long long *result) {
    unsigned long long difference = (unsigned long long)a - (unsigned long long)b;
    *result = (long long)difference;
    return (int)((((unsigned long long)a ^ (unsigned long long)b)
        & ((unsigned long long)a ^ difference)) >> 63);
}

#endif
