// The characters of UTF-8 text, counted and found eight bytes at a time, for py/unicode.c and
// py/objstrunicode.c (patches `text-search` and `text-hash`). A character begins with a byte that
// continues none, as upstream has it for texts of any bytes.
//
// Bytes are read one by one up to a multiple of eight, then as words that lie in the text wholly.
#ifndef GPUSNEK_TEXTLENGTH_H
#define GPUSNEK_TEXTLENGTH_H

#include <stddef.h>
#include <stdint.h>

#include "py/mpconfig.h"
#include "py/misc.h"

#define GPUSNEK_EACH_BYTE ((uint64_t)0x0101010101010101)

// Bytes that are looked through without a poll: texts up to this size take no steps.
#define GPUSNEK_TEXT_PIECE (4096)

// 1 where a byte begins a character, otherwise 0.
static inline uint8_t gpusnek_begins(byte c) {
    return !UTF8_IS_CONT(c);
}

// The same for each byte of a word.
static inline uint64_t gpusnek_beginnings(uint64_t word) {
    return (~(word >> 7) | word >> 6) & GPUSNEK_EACH_BYTE;
}

// The sum of a word's bytes, which is below 256.
static inline uint8_t gpusnek_byte_sum(uint64_t word) {
    return (uint8_t)(word * GPUSNEK_EACH_BYTE >> 56);
}

// How many characters begin in a word of a text.
static inline uint8_t gpusnek_begun(uint64_t word) {
    return gpusnek_byte_sum(gpusnek_beginnings(word));
}

// Which of a word's bytes begins the `nth` of its characters, from 1 on. No loop: interpreters that
// look for different characters stay together. The first byte in memory is the word's lowest.
static inline uint8_t gpusnek_place(uint64_t word, size_t nth) {
    const uint64_t high = 0x80 * GPUSNEK_EACH_BYTE;
    const uint64_t until = gpusnek_beginnings(word) * GPUSNEK_EACH_BYTE; // begun up to each byte
    const uint64_t before = ~((until | high) - nth * GPUSNEK_EACH_BYTE) & high; // fewer than nth
    return gpusnek_byte_sum(before >> 7);
}

// How many bytes of a text come before its first word.
static inline size_t gpusnek_head(const byte *text, const byte *top) {
    const size_t head = -(uintptr_t)text % 8, length = top - text;
    return head < length ? head : length;
}

// How many characters begin in a text.
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

// How far a text is ASCII, in words that lie in it wholly; `text` itself unless it begins with one.
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

// Whether a text consists of whole characters. As upstream has it, every lead byte up to 0xf7 is one.
static inline bool gpusnek_is_utf8(const byte *text, size_t length) {
    const byte *const top = text + length;
    const byte *at = gpusnek_behind_ascii(text, top);
    int rest = 0; // bytes that continue a character
    for (; at < top; ++at) {
        const byte c = *at; // read in every turn, so the rule `polls` knows the loop
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

// The four walks below go as far as fewer than `*nth` characters begin, which they take from it.

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

// Where the `nth` character of a piece begins, from 1 on; NULL where fewer begin, which are taken from
// it. Not inlined and without a poll: a function that may call saves registers, for nothing in most
// texts.
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

// The same, counted from the piece's end.
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

// The same in a text of any length, piece by piece, with a poll for each.
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

// Where the character at an index begins; NULL where there is none. A text's first byte is its
// character 0 even if it continues one, unless it is looked for from the end.
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
