// Regular expressions: the compiled form of a pattern, and the functions of its three parts: the
// compiler (regex_parse.c), the matcher (regex_match.c) and characters (regex_chars.c). modre.c has
// the Python interface.
//
// A compiled pattern is a list of 32-bit words. The first word of an instruction has the opcode in
// bits 0 to 7 and an argument in bits 8 to 31. Distances count words from the instruction's first
// word.
#ifndef GPUSNEK_REGEX_H
#define GPUSNEK_REGEX_H

#include "charkinds.h"
#include "py/obj.h"

// Flags of the module, with CPython's values.
enum {
    GPUSNEK_RE_IGNORECASE = 2,
    GPUSNEK_RE_LOCALE = 4,
    GPUSNEK_RE_MULTILINE = 8,
    GPUSNEK_RE_DOTALL = 16,
    GPUSNEK_RE_UNICODE = 32,
    GPUSNEK_RE_VERBOSE = 64,
    GPUSNEK_RE_ASCII = 256,
};

#define GPUSNEK_RE_NONE UINT32_MAX // an offset, group or index that does not exist; no maximum

// Opcodes. "Fail" resumes the newest alternative.
enum {
    // Instructions that match one character.
    RE_CHAR, // the character `argument`
    RE_CHAR_FOLDED, // a character with the case-folded form `argument`
    RE_CHAR_FOLDED_ASCII, // the same, for ASCII letters only
    RE_ANY, // any character but a newline
    RE_ANY_ALL, // any character
    RE_CLASS, // `argument`: number of ranges; flags; four words of bits for ASCII; the ranges
    // Instructions that match at a position.
    RE_BEGIN,
    RE_BEGIN_LINE,
    RE_END,
    RE_END_LINE, // the end, or before a newline
    RE_END_LAST, // the end, or before the last newline
    RE_WORD_BORDER, // `argument`: 1 if only ASCII characters are letters
    RE_NO_WORD_BORDER,
    // Repetition of the one-character instruction behind these words: minimum, maximum. `argument`:
    // the length of both.
    RE_GREEDY,
    RE_LAZY,
    RE_POSSESSIVE,
    // Control flow. `argument`: a distance.
    RE_JUMP,
    RE_SPLIT, // go on; at a failure, continue at the distance
    RE_SPLIT_LATER, // continue at the distance; at a failure, go on
    RE_JUMP_BACK,
    RE_SPLIT_BACK, // continue at the distance backwards; at a failure, go on
    RE_SPLIT_BACK_LATER, // go on; at a failure, continue at the distance backwards
    // Counted loop: LOOP, minimum, maximum, distance to UNTIL; the body; UNTIL, distance to LOOP,
    // RE_UNTIL_* flags; AGAIN if the loop is lazy. `argument`: the register of the count; the next
    // register has the position at which the last iteration began.
    RE_LOOP,
    RE_UNTIL,
    RE_AGAIN,
    // Groups. `argument`: the group.
    RE_OPEN,
    RE_CLOSE,
    RE_BACK, // the text of the group
    RE_BACK_FOLDED,
    RE_BACK_FOLDED_ASCII,
    RE_CONDITION, // distance to continue at if the group did not match
    // Lookaround: opcode, number of characters to go back (`argument`: 1 if it is looked behind),
    // distance behind the end; the body; the instruction RE_*_END.
    RE_LOOK,
    RE_LOOK_NOT,
    RE_ATOMIC,
    RE_LOOK_END,
    RE_LOOK_NOT_END,
    RE_ATOMIC_END,
    RE_ACCEPT,
};

enum { RE_UNTIL_LAZY = 1, RE_UNTIL_NULLABLE = 2 };

// Flags of RE_CLASS.
enum {
    RE_NEGATED = 1 << 0,
    RE_FOLDED = 1 << 1,
    RE_ASCII_ONLY = 1 << 2,
    RE_DIGIT = 1 << 3,
    RE_NO_DIGIT = 1 << 4,
    RE_SPACE = 1 << 5,
    RE_NO_SPACE = 1 << 6,
    RE_WORD = 1 << 7,
    RE_NO_WORD = 1 << 8,
    RE_CATEGORIES = RE_DIGIT | RE_NO_DIGIT | RE_SPACE | RE_NO_SPACE | RE_WORD | RE_NO_WORD,
};
#define RE_CLASS_WORDS (6) // of RE_CLASS before the ranges

#define RE_OPCODE(word) ((word) & 0xff)
#define RE_ARGUMENT(word) ((word) >> 8)
#define RE_INSTRUCTION(opcode, argument) ((uint32_t)(opcode) | (uint32_t)(argument) << 8)
#define RE_MOST_WORDS ((uint32_t)1 << 23) // of a compiled pattern, so that distances have 24 bits

// An object of type re.Pattern.
typedef struct {
    mp_obj_base_t base;
    mp_obj_t pattern; // a str or bytes object
    mp_obj_t names; // a dict of the named groups' numbers, or MP_OBJ_NULL
    uint32_t *code;
    uint32_t length; // of the code
    uint32_t flags;
    uint32_t asked; // the flags given to re.compile()
    uint32_t groups; // without group 0
    uint32_t registers; // of the matcher
    uint32_t first[4]; // the ASCII characters that a match can begin with
    bool is_str;
} gpusnek_pattern_t;

// The first registers: start and end of each group, group 0 included. The next one has the last
// group that was closed.
#define RE_LAST_GROUP(pattern) (2 * (pattern)->groups + 2)

// Compiles a pattern. Raises re.error and others.
void gpusnek_re_compile(gpusnek_pattern_t *pattern, uint32_t flags);
// The exception re.error.
extern const mp_obj_type_t gpusnek_type_PatternError;
// Raises re.error with a message for a position of a pattern or template.
_Noreturn void gpusnek_re_error(mp_obj_t pattern, bool is_str, vstr_t *message, const byte *at);

#define RE_LOCAL_REGISTERS (24)
#define RE_LOCAL_ENTRIES (32)

// An alternative that is left to try, or a register to restore (regex_match.c).
typedef struct {
    uint32_t what; // a tag in bits 29 to 31, and an index
    uint32_t value;
} gpusnek_entry_t;

// A search in one text.
typedef struct {
    const gpusnek_pattern_t *pattern;
    const byte *text;
    const byte *end; // of the searched part, which begins at any position
    bool whole; // a match must reach the end
    uint32_t *registers;
    gpusnek_entry_t *stack;
    uint32_t used; // of the stack
    uint32_t size;
    uint32_t mark; // index of the innermost lookaround or atomic group in the stack
    uint32_t local_registers[RE_LOCAL_REGISTERS];
    gpusnek_entry_t local_stack[RE_LOCAL_ENTRIES];
} gpusnek_search_t;

void gpusnek_re_begin(gpusnek_search_t *search, const gpusnek_pattern_t *pattern, const byte *text,
    size_t size);
// Frees the memory of a search.
void gpusnek_re_end(gpusnek_search_t *search);
// Returns whether the pattern matches at an offset. occupied: a match of no characters fails.
bool gpusnek_re_match(gpusnek_search_t *search, size_t at, bool occupied);
// Returns whether the pattern matches at an offset or behind. occupied: for the first offset.
bool gpusnek_re_search(gpusnek_search_t *search, size_t at, bool occupied);

// Reads the character or byte at *at, which must be before `end`, and moves *at behind it. Defined
// for any bytes.
static inline uint32_t gpusnek_re_next(const byte **at, const byte *end, bool is_str) {
    uint32_t c = *(*at)++;
    if (c < 0x80 || !is_str) {
        return c;
    }
    // Without a loop, which would poll.
    const int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    c &= more == 0 ? 0xff : 0x3fu >> more;
    if (more > 0 && *at < end && (**at & 0xc0) == 0x80) {
        c = c << 6 | (*(*at)++ & 0x3f);
        if (more > 1 && *at < end && (**at & 0xc0) == 0x80) {
            c = c << 6 | (*(*at)++ & 0x3f);
            if (more > 2 && *at < end && (**at & 0xc0) == 0x80) {
                c = c << 6 | (*(*at)++ & 0x3f);
            }
        }
    }
    return c;
}

// Returns the start of the character that ends before `at`, which must be behind `begin`.
static inline const byte *gpusnek_re_back(const byte *at, const byte *begin, bool is_str) {
    at--;
    for (int i = 0; i < 3 && is_str && at > begin && (*at & 0xc0) == 0x80; i++) {
        at--;
    }
    return at;
}

// Characters (regex_chars.c). ascii: other characters are no digits, spaces or letters, and have no
// case.
bool gpusnek_re_is_word(uint32_t c, bool ascii);
// Returns the same character for all that are equal without case.
uint32_t gpusnek_re_fold(uint32_t c, bool ascii);
// Returns whether another character is equal without case.
bool gpusnek_re_is_cased(uint32_t c, bool ascii);
// Returns whether a character is in the class of an instruction RE_CLASS.
bool gpusnek_re_in_class(const uint32_t *code, uint32_t c);
// Sets the bits of a class for ASCII characters: its categories, case and negation.
void gpusnek_re_finish_class(uint32_t *code);

#endif
