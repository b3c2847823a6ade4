// Characters of regular expressions: letters, digits and spaces, comparison without case, classes.
#include "regex.h"

#define DOTTED_I (0x130)
#define DOTLESS_I (0x131)
#define LONG_S (0x17f)
#define KELVIN (0x212a)

// Bits of ASCII characters.
static const uint32_t ascii_digits[4] = {0, 0x03ff0000, 0, 0};
static const uint32_t ascii_spaces[4] = {0x00003e00, 1, 0, 0}; // without 0x1c to 0x1f
static const uint32_t ascii_words[4] = {0, 0x03ff0000, 0x87fffffe, 0x07fffffe};
#define MORE_SPACES (0xf0000000) // 0x1c to 0x1f, which are spaces in a str

static inline bool has(const uint32_t bits[4], uint32_t c) {
    return bits[c / 32] >> c % 32 & 1;
}

static bool has_flag(uint32_t c, uint32_t flags, bool ascii) {
    return !ascii && (gpusnek_kind(c)->flags & flags) != 0;
}

bool gpusnek_re_is_word(uint32_t c, bool ascii) {
    return c < 0x80 ? has(ascii_words, c)
        : has_flag(c, GPUSNEK_ALPHA | GPUSNEK_DECIMAL | GPUSNEK_DIGIT | GPUSNEK_NUMERIC, ascii);
}

// Maps a character to one character, with the simple mappings of Unicode. The tables of characters
// have the full mappings.
static uint32_t to_lower(uint32_t c) {
    uint32_t mapped[GPUSNEK_MAPPED];
    gpusnek_map_character(c, GPUSNEK_TO_LOWER, mapped);
    return mapped[0];
}

static uint32_t to_upper(uint32_t c) {
    uint32_t mapped[GPUSNEK_MAPPED];
    if (gpusnek_map_character(c, GPUSNEK_TO_UPPER, mapped) == 1) {
        return mapped[0];
    }
    return gpusnek_map_character(c, GPUSNEK_TO_TITLE, mapped) == 1 ? mapped[0] : c;
}

uint32_t gpusnek_re_fold(uint32_t c, bool ascii) {
    if (c < 0x80 || ascii) {
        return c - 'A' < 26 ? c + 0x20 : c;
    }
    const uint32_t folded = to_lower(to_upper(to_lower(c)));
    switch (folded) { // pairs whose upper-case forms are equal sequences of characters
        case 0x1fd3:
            return 0x390;
        case 0x1fe3:
            return 0x3b0;
        case 0xfb06:
            return 0xfb05;
        default:
            return folded;
    }
}

bool gpusnek_re_is_cased(uint32_t c, bool ascii) {
    if (c < 0x80 || ascii) {
        return (c | 0x20) - 'a' < 26;
    }
    return gpusnek_kind(c)->flags & GPUSNEK_CASED || to_lower(c) != c || to_upper(c) != c
        || gpusnek_re_fold(c, false) != c;
}

static bool in_ranges(const uint32_t *code, uint32_t c) {
    const uint32_t *range = code + RE_CLASS_WORDS;
    const uint32_t *const end = range + 2 * RE_ARGUMENT(code[0]);
    for (; range < end; range += 2) {
        if (c - range[0] <= range[1] - range[0]) {
            return true;
        }
    }
    return false;
}

static bool in_category(uint32_t flags, uint32_t c) {
    const bool ascii = flags & RE_ASCII_ONLY;
    if (flags & (RE_WORD | RE_NO_WORD)
        && flags & (gpusnek_re_is_word(c, ascii) ? RE_WORD : RE_NO_WORD)) {
        return true;
    }
    if (flags & (RE_DIGIT | RE_NO_DIGIT)
        && flags & (has_flag(c, GPUSNEK_DECIMAL, ascii) ? RE_DIGIT : RE_NO_DIGIT)) {
        return true;
    }
    return flags & (RE_SPACE | RE_NO_SPACE)
        && flags & (has_flag(c, GPUSNEK_SPACE, ascii) ? RE_SPACE : RE_NO_SPACE);
}

bool gpusnek_re_in_class(const uint32_t *code, uint32_t c) {
    if (c < 0x80) {
        return has(code + 2, c);
    }
    const uint32_t flags = code[1];
    bool in = in_ranges(code, c) || in_category(flags, c);
    if (!in && flags & RE_FOLDED && !(flags & RE_ASCII_ONLY)) {
        const uint32_t folded = gpusnek_re_fold(c, false);
        const uint32_t upper = to_upper(folded);
        // The bits of ASCII characters include the negation.
        in = folded < 0x80 ? has(code + 2, folded) != (flags & RE_NEGATED)
            : in_ranges(code, folded) || in_ranges(code, upper) || in_ranges(code, to_lower(c))
                || in_ranges(code, to_upper(c));
    }
    return in != (flags & RE_NEGATED);
}

void gpusnek_re_finish_class(uint32_t *code) {
    const uint32_t flags = code[1];
    uint32_t *const bits = code + 2;
    const uint32_t *range = code + RE_CLASS_WORDS;
    const uint32_t *const end = range + 2 * RE_ARGUMENT(code[0]);
    for (; range < end; range += 2) {
        const uint32_t last = range[1] < 0x80 ? range[1] : 0x7f;
        for (uint32_t c = range[0]; c <= last; c++) {
            bits[c / 32] |= (uint32_t)1 << c % 32;
        }
    }
    if (flags & RE_FOLDED) {
        const bool ascii = flags & RE_ASCII_ONLY;
        if (!ascii) {
            if (in_ranges(code, DOTTED_I) || in_ranges(code, DOTLESS_I)) {
                bits['i' / 32] |= (uint32_t)1 << 'i' % 32;
            }
            if (in_ranges(code, LONG_S)) {
                bits['s' / 32] |= (uint32_t)1 << 's' % 32;
            }
            if (in_ranges(code, KELVIN)) {
                bits['k' / 32] |= (uint32_t)1 << 'k' % 32;
            }
        }
        const uint32_t letters = (bits[2] | bits[3]) & 0x07fffffe;
        bits[2] |= letters;
        bits[3] |= letters;
    }
    const uint32_t more = flags & RE_ASCII_ONLY ? 0 : MORE_SPACES;
    for (size_t i = 0; i < 4; i++) {
        const uint32_t spaces = ascii_spaces[i] | (i == 0 ? more : 0);
        bits[i] |= (flags & RE_DIGIT ? ascii_digits[i] : 0)
            | (flags & RE_NO_DIGIT ? ~ascii_digits[i] : 0)
            | (flags & RE_SPACE ? spaces : 0) | (flags & RE_NO_SPACE ? ~spaces : 0)
            | (flags & RE_WORD ? ascii_words[i] : 0) | (flags & RE_NO_WORD ? ~ascii_words[i] : 0);
        if (flags & RE_NEGATED) {
            bits[i] = ~bits[i];
        }
    }
}
