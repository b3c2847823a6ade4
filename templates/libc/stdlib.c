// C library functions of <stdlib.h>: absolute values, integer parsing, qsort(), abort() and exit().
//
// A unit: the rewriter processes this file like upstream's. The functions do not raise.
#include <ctype.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

// The runtime provides it: ends this interpreter after a broken invariant.
_Noreturn void porter_fatal(const char *message);

int abs(int value) {
    return value < 0 ? -value : value;
}

long labs(long value) {
    return value < 0 ? -value : value;
}

long long llabs(long long value) {
    return value < 0 ? -value : value;
}

void abort(void) {
    porter_fatal("abort() called");
}

void exit(int status) {
    (void)status;
    porter_fatal("exit() called");
}

// Return the value of a digit in base 36, or 36 for other characters.
static int digit_value(int c) {
    if (isdigit(c)) {
        return c - '0';
    }
    if (isalpha(c)) {
        return (c | 32) - 'a' + 10;
    }
    return 36;
}

// Parse sign, prefix and digits as strtoul() does. Set *end to `text` if there are no digits.
// Saturate at ULONG_MAX on overflow.
static unsigned long parse(const char *text, char **end, int base, bool *negative) {
    const char *at = text;
    while (isspace(*at)) {
        ++at;
    }
    *negative = *at == '-';
    if (*at == '-' || *at == '+') {
        ++at;
    }
    if ((base == 0 || base == 16) && at[0] == '0' && (at[1] | 32) == 'x'
        && digit_value(at[2]) < 16) {
        at += 2;
        base = 16;
    } else if (base == 0) {
        base = *at == '0' ? 8 : 10;
    }
    unsigned long value = 0;
    bool any = false;
    bool overflow = false;
    for (int digit; (digit = digit_value(*at)) < base; ++at) {
        any = true;
        if (value > (ULONG_MAX - (unsigned long)digit) / (unsigned long)base) {
            overflow = true;
        }
        value = value * (unsigned long)base + (unsigned long)digit;
    }
    if (end != NULL) {
        *end = (char *)(any ? at : text);
    }
    return overflow ? ULONG_MAX : value;
}

unsigned long strtoul(const char *text, char **end, int base) {
    bool negative;
    unsigned long value = parse(text, end, base, &negative);
    return negative ? 0 - value : value;
}

long strtol(const char *text, char **end, int base) {
    bool negative;
    unsigned long value = parse(text, end, base, &negative);
    if (negative) {
        return value > (unsigned long)LONG_MAX ? LONG_MIN : -(long)value;
    }
    return value > (unsigned long)LONG_MAX ? LONG_MAX : (long)value;
}

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size) {
    for (; size != 0; --size, ++a, ++b) {
        unsigned char t = *a;
        *a = *b;
        *b = t;
    }
}

// Heapsort: in place and without recursion, so its need of C stack is constant.
void qsort(void *base, size_t count, size_t size,
    int (*compare)(const void *left, const void *right)) {
    unsigned char *items = (unsigned char *)base;
    if (count < 2) {
        return;
    }
    size_t start = count / 2;
    size_t end = count;
    while (end > 1) {
        if (start > 0) {
            --start;
        } else {
            --end;
            swap_bytes(items, items + end * size, size);
        }
        size_t root = start;
        for (size_t child; (child = 2 * root + 1) < end; root = child) {
            if (child + 1 < end
                && compare(items + child * size, items + (child + 1) * size) < 0) {
                ++child;
            }
            if (compare(items + root * size, items + child * size) >= 0) {
                break;
            }
            swap_bytes(items + root * size, items + child * size, size);
        }
    }
}
