// Counting, indexing and validating characters of UTF-8 text, eight bytes at a time (SWAR). The
// patch `texts` calls these functions in py/unicode.c and
// py/objstrunicode.c.
//
// As in upstream's code, a character begins at each byte that is not a continuation byte, so that
// the functions are defined for any bytes.
//
// Invariant U1: bytes before the first multiple of eight and after the last are read one by one,
// and words are read only where they lie completely inside the text.
#ifndef GPUSNEK_TEXTLENGTH_H
#define GPUSNEK_TEXTLENGTH_H

#include <stddef.h>
#include <stdint.h>

#include "py/mpconfig.h"
#include "py/misc.h"

#define GPUSNEK_EACH_BYTE ((uint64_t)0x0101010101010101) // a word with 1 in each byte

// Bytes that are searched without a poll: indexing texts up to this size takes no steps.
#define GPUSNEK_TEXT_PIECE (4096)

// Returns 1 if a byte begins a character, otherwise 0.
static inline uint8_t gpusnek_begins(byte c) {
    return !UTF8_IS_CONT(c);
}

// Applies gpusnek_begins() to each byte of a word.
static inline uint64_t gpusnek_beginnings(uint64_t word) {
    return (~(word >> 7) | word >> 6) & GPUSNEK_EACH_BYTE;
}

// Returns the sum of a word's bytes, which must be below 256.
static inline uint8_t gpusnek_byte_sum(uint64_t word) {
    return (uint8_t)(word * GPUSNEK_EACH_BYTE >> 56);
}

// Returns how many characters begin in a word.
static inline uint8_t gpusnek_begun(uint64_t word) {
    return gpusnek_byte_sum(gpusnek_beginnings(word));
}

// Returns the index of the byte at which the nth character of a word begins; nth counts from 1. The
// first byte in memory is the lowest of the word. Without a loop, so that the lanes of a warp that
// search for different characters do not diverge.
static inline uint8_t gpusnek_place(uint64_t word, size_t nth) {
    const uint64_t high = 0x80 * GPUSNEK_EACH_BYTE;
    const uint64_t until = gpusnek_beginnings(word) * GPUSNEK_EACH_BYTE; // prefix sums
    const uint64_t before = ~((until | high) - nth * GPUSNEK_EACH_BYTE) & high; // prefix sum < nth
    return gpusnek_byte_sum(before >> 7);
}

// Returns how many bytes of a text precede its first aligned word.
static inline size_t gpusnek_head(const byte *text, const byte *top) {
    const size_t head = -(uintptr_t)text % 8, length = top - text;
    return head < length ? head : length;
}

// Returns the number of characters of a text.
static inline size_t gpusnek_characters(const byte *text, size_t length) {
    const byte *const top = text + length;
    size_t count = 0;
    for (const byte *const end = text + gpusnek_head(text, top); text < end; ++text) {
        count += gpusnek_begins(*text);
    }
    const uint64_t *word = (const uint64_t *)text;
    for (const uint64_t *const end = word + (top - text) / 8; word < end; ++word) {
        count += gpusnek_begun(*word);
    }
    for (text = (const byte *)word; text < top; ++text) {
        count += gpusnek_begins(*text);
    }
    return count;
}

// Returns the end of the words at the start of a text that are ASCII only; `text` if it is not
// aligned.
static inline const byte *gpusnek_behind_ascii(const byte *text, const byte *top) {
    if ((uintptr_t)text % 8 != 0) {
        return text;
    }
    const uint64_t *word = (const uint64_t *)text;
    for (const uint64_t *const end = word + (top - text) / 8; word < end; ++word) {
        if (*word & 0x80 * GPUSNEK_EACH_BYTE) {
            break;
        }
    }
    return (const byte *)word;
}

// Returns whether a text is a sequence of complete characters. As in upstream's code each lead byte
// up to 0xf7 is valid.
static inline bool gpusnek_is_utf8(const byte *text, size_t length) {
    const byte *const top = text + length;
    const byte *at = gpusnek_behind_ascii(text, top);
    int rest = 0; // continuation bytes that the current character still needs
    for (; at < top; ++at) {
        const byte c = *at; // an access in each turn lets the rule `polls` recognize the loop
        if (rest > 0) {
            if (!UTF8_IS_CONT(c)) {
                return false;
            }
            --rest;
        } else if (c >= 0x80) {
            if (c < 0xc0 || c >= 0xf8) {
                return false;
            }
            rest = 1 + (c >= 0xe0) + (c >= 0xf0);
        }
    }
    return rest == 0;
}

// The next four functions skip bytes or words, forwards or backwards, while fewer than *nth
// characters begin in them. They subtract the skipped characters from *nth and return the position
// reached.

static inline const byte *gpusnek_pass_bytes(const byte *text, const byte *end, size_t *nth) {
    size_t wanted = *nth;
    while (text < end && gpusnek_begins(*text) < wanted) {
        wanted -= gpusnek_begins(*text);
        ++text;
    }
    *nth = wanted;
    return text;
}

static inline const uint64_t *gpusnek_pass_words(
    const uint64_t *word, const uint64_t *end, size_t *nth) {
    size_t wanted = *nth;
    while (word < end && gpusnek_begun(*word) < wanted) {
        wanted -= gpusnek_begun(*word);
        ++word;
    }
    *nth = wanted;
    return word;
}

static inline const byte *gpusnek_pass_bytes_back(
    const byte *text, const byte *begin, size_t *nth) {
    size_t wanted = *nth;
    while (text > begin && gpusnek_begins(text[-1]) < wanted) {
        --text;
        wanted -= gpusnek_begins(*text);
    }
    *nth = wanted;
    return text;
}

static inline const uint64_t *gpusnek_pass_words_back(
    const uint64_t *word, const uint64_t *begin, size_t *nth) {
    size_t wanted = *nth;
    while (word > begin && gpusnek_begun(word[-1]) < wanted) {
        --word;
        wanted -= gpusnek_begun(*word);
    }
    *nth = wanted;
    return word;
}

// Returns where the *nth character of a piece begins, counted from 1. If the piece has fewer
// characters, subtracts their number from *nth and returns NULL. Not inlined and without a poll: a
// function that may call saves registers, which is wasted for most texts.
static MP_NOINLINE const byte *gpusnek_find_ahead(const byte *text, const byte *top, size_t *nth) {
    const byte *const head = text + gpusnek_head(text, top);
    text = gpusnek_pass_bytes(text, head, nth);
    if (text < head) {
        return text;
    }
    const uint64_t *word = (const uint64_t *)text;
    const uint64_t *const end = word + (top - text) / 8;
    word = gpusnek_pass_words(word, end, nth);
    if (word < end) {
        return (const byte *)word + gpusnek_place(*word, *nth);
    }
    text = gpusnek_pass_bytes((const byte *)word, top, nth);
    return text < top ? text : NULL;
}

// As gpusnek_find_ahead(), counted from the end of the piece.
static MP_NOINLINE const byte *gpusnek_find_back(const byte *text, const byte *top, size_t *nth) {
    const byte *const head = text + gpusnek_head(text, top);
    const byte *const tail = head + (top - head) / 8 * 8;
    top = gpusnek_pass_bytes_back(top, tail, nth);
    if (top > tail) {
        return top - 1;
    }
    const uint64_t *word = (const uint64_t *)top;
    const uint64_t *const begin = (const uint64_t *)head;
    word = gpusnek_pass_words_back(word, begin, nth);
    if (word > begin) {
        --word;
        return (const byte *)word + gpusnek_place(*word, gpusnek_begun(*word) - *nth + 1);
    }
    top = gpusnek_pass_bytes_back((const byte *)word, text, nth);
    return top > text ? top - 1 : NULL;
}

// As gpusnek_find_ahead() and gpusnek_find_back() for texts of any length: piece by piece, with a
// poll for each.
static MP_NOINLINE const byte *gpusnek_find_far_ahead(
    const byte *text, const byte *top, size_t nth) {
    while ((size_t)(top - text) > GPUSNEK_TEXT_PIECE) {
        const byte *const found = gpusnek_find_ahead(text, text + GPUSNEK_TEXT_PIECE, &nth);
        if (found != NULL) {
            return found;
        }
        text += GPUSNEK_TEXT_PIECE;
    }
    return gpusnek_find_ahead(text, top, &nth);
}

static MP_NOINLINE const byte *gpusnek_find_far_back(
    const byte *text, const byte *top, size_t nth) {
    while ((size_t)(top - text) > GPUSNEK_TEXT_PIECE) {
        const byte *const found = gpusnek_find_back(top - GPUSNEK_TEXT_PIECE, top, &nth);
        if (found != NULL) {
            return found;
        }
        top -= GPUSNEK_TEXT_PIECE;
    }
    return gpusnek_find_back(text, top, &nth);
}

// Returns where the character at an index begins, negative indexes from the end; NULL if it is out
// of range. Index 0 is the first byte even if this is a continuation byte.
static inline const byte *gpusnek_character(const byte *text, size_t length, mp_int_t index) {
    const byte *const top = text + length;
    if (index == 0 || length == 0) {
        return length == 0 ? NULL : text;
    }
    if (index < 0) {
        size_t nth = -(size_t)index;
        return length <= GPUSNEK_TEXT_PIECE ? gpusnek_find_back(text, top, &nth)
                                            : gpusnek_find_far_back(text, top, nth);
    }
    size_t nth = (size_t)index + gpusnek_begins(*text);
    return length <= GPUSNEK_TEXT_PIECE ? gpusnek_find_ahead(text, top, &nth)
                                        : gpusnek_find_far_ahead(text, top, nth);
}

#endif
