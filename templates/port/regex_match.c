// Matches texts against compiled patterns (regex.h), by backtracking as CPython does.
//
// Mechanism: one loop executes instructions. Alternatives that are left to try are on a stack, which
// begins in the C frame and grows in the heap, so that no text or pattern needs C recursion. The
// stack also has the old values of registers that changed since an alternative was left; a failure
// restores them on its way to the alternative. Each turn of the loop is a step (limits.c).
//
// An entry has a tag, an index and a value. Positions are offsets of bytes in the text.
//
// Invariants:
//   X1  At the end of a failed attempt the stack is empty.
//   X2  `mark` is the index of the MARK of the innermost lookaround or atomic group that is being
//       matched. The entry below the MARK belongs to the same group. The MARK's value is the `mark`
//       of the surrounding one.
//   X3  A register is only changed by set(), so that a failure restores it. Without an alternative
//       to return to there is nothing to restore.
#include <string.h>

#include "py/runtime.h"
#include "regex.h"

#define NONE GPUSNEK_RE_NONE
#define PIECE (64) // characters that one turn tests without a poll

enum {
    RESTORE, // index: a register; value: its old value
    RESUME, // index: an instruction; value: the position
    SHORTEN, // above a HOLD: a greedy repetition; index: its instruction; value: its end
    LENGTHEN, // above a HOLD: a lazy repetition; index: its instruction; value: its end
    HOLD, // value: shortest end of SHORTEN, iterations left of LENGTHEN, position of a lookaround
    MARK, // the start of a lookaround or atomic group (X2)
};

#define WHAT(tag, index) ((uint32_t)(tag) << 29 | (uint32_t)(index))
#define TAG(entry) ((entry).what >> 29)
#define INDEX(entry) ((entry).what & 0x1fffffff)

static MP_NOINLINE void grow(gpusnek_search_t *s) {
    const uint32_t size = s->size + s->size / 2;
    if (size > INT32_MAX) {
        m_malloc_fail(SIZE_MAX);
    }
    if (s->stack == s->local_stack) {
        gpusnek_entry_t *const stack = m_new(gpusnek_entry_t, size);
        memcpy(stack, s->local_stack, s->used * sizeof(gpusnek_entry_t));
        s->stack = stack;
    } else {
        s->stack = m_renew(gpusnek_entry_t, s->stack, s->size, size);
    }
    s->size = size;
}

static inline void push(gpusnek_search_t *s, uint32_t what, uint32_t value) {
    if (s->used == s->size) {
        grow(s);
    }
    s->stack[s->used].what = what;
    s->stack[s->used].value = value;
    s->used++;
}

// Changes a register (X3).
static inline void set(gpusnek_search_t *s, uint32_t reg, uint32_t value) {
    if (s->used > 0) {
        push(s, WHAT(RESTORE, reg), (uint32_t)(s->registers[reg]));
    }
    s->registers[reg] = value;
}

// Returns the end of the character at `at` if an instruction for one character matches it, or NULL.
static const byte *match_one(
    const uint32_t *code, const byte *at, const byte *end, bool is_str) {
    if (at == end) {
        return NULL;
    }
    const uint32_t c = gpusnek_re_next(&at, end, is_str);
    const uint32_t argument = RE_ARGUMENT(*code);
    bool matches;
    switch (RE_OPCODE(*code)) {
        case RE_CHAR:
            matches = c == argument;
            break;
        case RE_CHAR_FOLDED:
            matches = gpusnek_re_fold(c, false) == argument;
            break;
        case RE_CHAR_FOLDED_ASCII:
            matches = gpusnek_re_fold(c, true) == argument;
            break;
        case RE_ANY:
            matches = c != '\n';
            break;
        case RE_CLASS:
            matches = c < 0x80 ? code[2 + c / 32] >> c % 32 & 1 : gpusnek_re_in_class(code, c);
            break;
        default: // RE_ANY_ALL
            matches = true;
            break;
    }
    return matches ? at : NULL;
}

// Skips at most PIECE characters, and at most *most, that match. Subtracts them from *most.
static const byte *skip_piece(const uint32_t *code, const byte *at, const byte *end, bool is_str,
    uint32_t *most) {
    const uint32_t limit = *most < PIECE ? *most : PIECE;
    uint32_t count = 0;
    if (RE_OPCODE(*code) == RE_CLASS || RE_OPCODE(*code) == RE_ANY) { // the frequent ones
        const bool any = RE_OPCODE(*code) == RE_ANY;
        for (; count < limit && at < end && *at < 0x80; count++) {
            if (any ? *at == '\n' : !(code[2 + *at / 32] >> *at % 32 & 1)) {
                *most -= count;
                return at;
            }
            at++;
        }
    }
    for (; count < limit; count++) {
        const byte *const next = match_one(code, at, end, is_str);
        if (next == NULL) {
            break;
        }
        at = next;
    }
    *most -= count;
    return at;
}

// Skips at most `most` characters that match; sets *left to the number that is left of `most`.
static MP_NOINLINE const byte *skip_all(const uint32_t *code, const byte *at, const byte *end,
    bool is_str, uint32_t most, uint32_t *left) {
    for (;;) {
        uint32_t rest = most;
        at = skip_piece(code, at, end, is_str, &rest);
        const uint32_t skipped = most - rest;
        most = rest;
        if (skipped < PIECE || most == 0) {
            *left = most;
            return at;
        }
    }
}

// Returns whether an instruction surely fails at a position.
static inline bool cannot(const gpusnek_search_t *s, const uint32_t *code, const byte *at) {
    const uint32_t word = *code;
    if (RE_OPCODE(word) == RE_CHAR) {
        return at == s->end || (*at < 0x80 ? *at != RE_ARGUMENT(word) : RE_ARGUMENT(word) < 0x80);
    }
    return false;
}

// Returns whether the position is between a letter and another character.
static bool is_border(const gpusnek_search_t *s, const byte *at, bool ascii) {
    const bool is_str = s->pattern->is_str;
    bool before = false, behind = false;
    if (at > s->text) {
        const byte *last = gpusnek_re_back(at, s->text, is_str);
        before = gpusnek_re_is_word(gpusnek_re_next(&last, s->end, is_str), ascii);
    }
    if (at < s->end) {
        behind = gpusnek_re_is_word(gpusnek_re_next(&at, s->end, is_str), ascii);
    }
    return before != behind;
}

// Returns whether an instruction that matches at a position matches here.
static bool match_position(const gpusnek_search_t *s, uint32_t word, const byte *at) {
    switch (RE_OPCODE(word)) {
        case RE_BEGIN:
            return at == s->text;
        case RE_BEGIN_LINE:
            return at == s->text || at[-1] == '\n';
        case RE_END:
            return at == s->end;
        case RE_END_LINE:
            return at == s->end || *at == '\n';
        case RE_END_LAST:
            return at == s->end || (*at == '\n' && at + 1 == s->end);
        case RE_WORD_BORDER:
            return is_border(s, at, RE_ARGUMENT(word));
        default: // RE_NO_WORD_BORDER: fails in an empty text, as in CPython before 3.14
            return s->text != s->end && !is_border(s, at, RE_ARGUMENT(word));
    }
}

static bool has_matched(const gpusnek_search_t *s, uint32_t group) {
    const uint32_t begin = s->registers[2 * group], end = s->registers[2 * group + 1];
    return end != NONE && begin <= end; // NONE is the largest number
}

// Matches the text of a group without case. Returns the end, or NULL.
static const byte *match_folded(const gpusnek_search_t *s, const byte *from, const byte *to,
    const byte *at, bool ascii) {
    const bool is_str = s->pattern->is_str;
    while (from < to) {
        if (at == s->end) {
            return NULL;
        }
        const uint32_t c = gpusnek_re_next(&from, to, is_str);
        if (gpusnek_re_fold(c, ascii) != gpusnek_re_fold(gpusnek_re_next(&at, s->end, is_str), ascii)) {
            return NULL;
        }
    }
    return at;
}

// Matches the text of a group. Returns the end, or NULL.
static MP_NOINLINE const byte *match_group(
    const gpusnek_search_t *s, uint32_t word, const byte *at) {
    const uint32_t group = RE_ARGUMENT(word);
    if (!has_matched(s, group)) {
        return NULL;
    }
    const byte *const from = s->text + s->registers[2 * group];
    const byte *const to = s->text + s->registers[2 * group + 1];
    if (RE_OPCODE(word) != RE_BACK) {
        return match_folded(s, from, to, at, RE_OPCODE(word) == RE_BACK_FOLDED_ASCII);
    }
    const size_t size = to - from;
    return size <= (size_t)(s->end - at) && memcmp(from, at, size) == 0 ? at + size : NULL;
}

// Goes back some characters. Returns NULL if there are too few.
static MP_NOINLINE const byte *go_back(const gpusnek_search_t *s, const byte *at, uint32_t count) {
    for (; count > 0; count--) {
        if (at == s->text) {
            return NULL;
        }
        at = gpusnek_re_back(at, s->text, s->pattern->is_str);
    }
    return at;
}

// Drops the alternatives since the innermost mark, and keeps the registers' old values (X3).
static MP_NOINLINE void drop_alternatives(gpusnek_search_t *s) {
    const uint32_t used = s->used;
    uint32_t to = s->mark - 1;
    const bool restores = to > 0;
    const uint32_t outer = s->stack[s->mark].value;
    for (uint32_t from = s->mark + 1; from < used; from++) {
        const gpusnek_entry_t entry = s->stack[from];
        if (TAG(entry) == RESTORE && restores) {
            s->stack[to++] = entry;
        }
    }
    s->used = to;
    s->mark = outer;
}

// Restores the registers since the innermost mark.
static MP_NOINLINE void undo(gpusnek_search_t *s) {
    const uint32_t to = s->mark - 1;
    const uint32_t outer = s->stack[s->mark].value;
    for (uint32_t from = s->used; from > to; from--) {
        const gpusnek_entry_t entry = s->stack[from - 1];
        if (TAG(entry) == RESTORE) {
            s->registers[INDEX(entry)] = entry.value;
        }
    }
    s->used = to;
    s->mark = outer;
}

// Shortens a greedy repetition to the next end from which the code behind it may match. Searches at
// most PIECE characters, and returns the end that was reached; sets *possible.
static MP_NOINLINE const byte *shorten(const gpusnek_search_t *s, const uint32_t *behind,
    const byte *shortest, const byte *at, bool *possible) {
    *possible = false;
    for (uint32_t i = 0; i < PIECE && at > shortest && !*possible; i++) {
        at = gpusnek_re_back(at, shortest, s->pattern->is_str);
        *possible = !cannot(s, behind, at);
    }
    return at;
}

// Matches at an offset. Sets the registers of groups.
bool gpusnek_re_match(gpusnek_search_t *s, size_t start, bool occupied) {
    const uint32_t *const code = s->pattern->code;
    const bool is_str = s->pattern->is_str;
    const byte *const text = s->text;
    const byte *const end = s->end;
    const byte *at = text + start;
    const uint32_t *pc = code;
    memset(s->registers, 0xff, s->pattern->registers * sizeof(uint32_t)); // NONE
    s->registers[0] = (uint32_t)start;
    s->used = 0;
    for (;;) {
        if (pc == NULL) { // a failure: return to the newest alternative, entry by entry
            if (s->used == 0) {
                return false;
            }
            gpusnek_entry_t *const entry = &s->stack[s->used - 1];
            const uint32_t index = INDEX(*entry), value = entry->value;
            switch (TAG(*entry)) {
                case RESTORE:
                    s->registers[index] = value;
                    s->used--;
                    continue;
                case RESUME:
                    at = text + value;
                    pc = code + index;
                    s->used--;
                    continue;
                case SHORTEN: {
                    const uint32_t low = entry[-1].value;
                    const uint32_t *const behind = code + index + RE_ARGUMENT(code[index]);
                    bool possible;
                    at = shorten(s, behind, text + low, text + value, &possible);
                    if (at - text > (ptrdiff_t)low) {
                        entry->value = (uint32_t)(at - text);
                    } else {
                        s->used -= 2;
                    }
                    pc = possible ? behind : NULL;
                    continue;
                }
                case LENGTHEN: {
                    const uint32_t left = entry[-1].value;
                    const byte *const next = match_one(code + index + 3, text + value, end, is_str);
                    if (next == NULL) {
                        s->used -= 2;
                        continue;
                    }
                    at = next;
                    if (left == 1) {
                        s->used -= 2;
                    } else {
                        entry[-1].value = left == NONE ? NONE : left - 1;
                        entry->value = (uint32_t)(at - text);
                    }
                    pc = code + index + RE_ARGUMENT(code[index]);
                    continue;
                }
                case MARK:
                    s->mark = value;
                    s->used--;
                    continue;
                default: // HOLD of a lookaround
                    s->used--;
                    continue;
            }
        }
        const uint32_t word = *pc;
        const uint32_t argument = RE_ARGUMENT(word);
        switch (RE_OPCODE(word)) {
            case RE_CHAR:
                if (argument < 0x80) {
                    if (at == end || *at != argument) {
                        goto failed;
                    }
                    at++;
                    pc++;
                    continue;
                }
                MP_FALLTHROUGH
            case RE_CHAR_FOLDED:
            case RE_CHAR_FOLDED_ASCII:
            case RE_ANY:
            case RE_ANY_ALL:
            case RE_CLASS: {
                const byte *const next = match_one(pc, at, end, is_str);
                if (next == NULL) {
                    goto failed;
                }
                at = next;
                pc += RE_OPCODE(word) == RE_CLASS ? RE_CLASS_WORDS + 2 * argument : 1;
                continue;
            }
            case RE_BEGIN:
            case RE_BEGIN_LINE:
            case RE_END:
            case RE_END_LINE:
            case RE_END_LAST:
            case RE_WORD_BORDER:
            case RE_NO_WORD_BORDER:
                if (!match_position(s, word, at)) {
                    goto failed;
                }
                pc++;
                continue;
            case RE_GREEDY:
            case RE_POSSESSIVE: {
                const uint32_t least = pc[1], most = pc[2];
                uint32_t left;
                const byte *low = at;
                if (least > 0) {
                    low = skip_all(pc + 3, at, end, is_str, least, &left);
                    if (left > 0) {
                        goto failed;
                    }
                }
                at = skip_all(pc + 3, low, end, is_str, most - least, &left);
                const uint32_t *const behind = pc + argument;
                if (at > low && RE_OPCODE(word) == RE_GREEDY) {
                    push(s, WHAT(HOLD, 0), (uint32_t)(low - text));
                    push(s, WHAT(SHORTEN, pc - code), (uint32_t)(at - text));
                }
                pc = behind;
                continue;
            }
            case RE_LAZY: {
                const uint32_t least = pc[1], most = pc[2];
                uint32_t left;
                at = skip_all(pc + 3, at, end, is_str, least, &left);
                if (left > 0) {
                    goto failed;
                }
                if (most > least) {
                    push(s, WHAT(HOLD, 0), (uint32_t)(most == NONE ? NONE : most - least));
                    push(s, WHAT(LENGTHEN, pc - code), (uint32_t)(at - text));
                }
                pc += argument;
                continue;
            }
            case RE_JUMP:
                pc += argument;
                continue;
            case RE_SPLIT:
                if (cannot(s, pc + 1, at)) {
                    pc += argument;
                    continue;
                }
                push(s, WHAT(RESUME, pc + argument - code), (uint32_t)(at - text));
                pc++;
                continue;
            case RE_SPLIT_LATER:
                push(s, WHAT(RESUME, pc + 1 - code), (uint32_t)(at - text));
                pc += argument;
                continue;
            case RE_JUMP_BACK:
                pc -= argument;
                continue;
            case RE_SPLIT_BACK:
                push(s, WHAT(RESUME, pc + 1 - code), (uint32_t)(at - text));
                pc -= argument;
                continue;
            case RE_SPLIT_BACK_LATER:
                push(s, WHAT(RESUME, pc - argument - code), (uint32_t)(at - text));
                pc++;
                continue;
            case RE_LOOP:
                set(s, argument, NONE); // the next instruction adds one
                set(s, argument + 1, NONE);
                pc += pc[3];
                continue;
            case RE_UNTIL: {
                const uint32_t *const loop = pc - pc[1];
                const uint32_t count = s->registers[argument] + 1;
                const uint32_t flags = pc[2], least = loop[1], most = loop[2];
                const uint32_t place = (uint32_t)(at - text);
                if (count < least) {
                    set(s, argument, count);
                    pc = loop + 4;
                    continue;
                }
                const bool again = count < most && s->registers[argument + 1] != place;
                pc += 3;
                if (flags & RE_UNTIL_LAZY) {
                    if (again) {
                        push(s, WHAT(RESUME, pc - code), (uint32_t)(place));
                    }
                    pc += 2;
                } else if (again) {
                    push(s, WHAT(RESUME, pc - code), (uint32_t)(place));
                    set(s, argument, most == NONE && count + 1 == NONE ? count - 1 : count);
                    if (flags & RE_UNTIL_NULLABLE) {
                        set(s, argument + 1, place);
                    }
                    pc = loop + 4;
                }
                continue;
            }
            case RE_AGAIN: {
                const uint32_t *const loop = pc - pc[1];
                const uint32_t count = s->registers[argument] + 1;
                set(s, argument, loop[2] == NONE && count + 1 == NONE ? count - 1 : count);
                set(s, argument + 1, (uint32_t)(at - text));
                pc = loop + 4;
                continue;
            }
            case RE_OPEN:
                set(s, 2 * argument, (uint32_t)(at - text));
                pc++;
                continue;
            case RE_CLOSE: {
                set(s, 2 * argument + 1, (uint32_t)(at - text));
                const uint32_t last = RE_LAST_GROUP(s->pattern);
                if (s->registers[last] != argument) {
                    set(s, last, argument);
                }
                pc++;
                continue;
            }
            case RE_BACK:
            case RE_BACK_FOLDED:
            case RE_BACK_FOLDED_ASCII: {
                const byte *const next = match_group(s, word, at);
                if (next == NULL) {
                    goto failed;
                }
                at = next;
                pc++;
                continue;
            }
            case RE_CONDITION:
                pc += has_matched(s, argument) ? 2 : pc[1];
                continue;
            case RE_LOOK:
            case RE_LOOK_NOT:
            case RE_ATOMIC: {
                const bool negative = RE_OPCODE(word) == RE_LOOK_NOT;
                const byte *const from = argument ? go_back(s, at, pc[1]) : at;
                if (from == NULL) {
                    if (!negative) {
                        goto failed;
                    }
                    pc += pc[2];
                    continue;
                }
                push(s, negative ? WHAT(RESUME, pc + pc[2] - code) : WHAT(HOLD, 0),
                    (uint32_t)(at - text));
                push(s, WHAT(MARK, 0), (uint32_t)(s->mark));
                s->mark = s->used - 1;
                at = from;
                pc += 3;
                continue;
            }
            case RE_LOOK_END:
                at = text + s->stack[s->mark - 1].value;
                MP_FALLTHROUGH
            case RE_ATOMIC_END:
                drop_alternatives(s);
                pc++;
                continue;
            case RE_LOOK_NOT_END:
                undo(s);
                goto failed;
            default: // RE_ACCEPT
                if ((s->whole && at != end) || (occupied && at == text + start)) {
                    goto failed;
                }
                s->registers[1] = (uint32_t)(at - text);
                return true;
        }
    failed:
        pc = NULL;
    }
}

void gpusnek_re_begin(gpusnek_search_t *s, const gpusnek_pattern_t *pattern, const byte *text,
    size_t size) {
    s->pattern = pattern;
    s->text = text;
    s->end = text + size;
    s->whole = false;
    s->registers = pattern->registers <= RE_LOCAL_REGISTERS ? s->local_registers
        : m_new(uint32_t, pattern->registers);
    s->stack = s->local_stack;
    s->size = RE_LOCAL_ENTRIES;
    s->used = 0;
    s->mark = 0;
}

void gpusnek_re_end(gpusnek_search_t *s) {
    if (s->registers != s->local_registers) {
        m_del(uint32_t, s->registers, s->pattern->registers);
    }
    if (s->stack != s->local_stack) {
        m_del(gpusnek_entry_t, s->stack, s->size);
    }
}

// Returns the first place from which a match may begin, at most PIECE bytes away.
static inline const byte *skip_impossible(const gpusnek_search_t *s, const byte *at) {
    const uint32_t *const first = s->pattern->first;
    const byte *const top = s->end - at > PIECE ? at + PIECE : s->end;
    while (at < top && *at < 0x80 && !(first[*at / 32] >> *at % 32 & 1)) {
        at++;
    }
    return at;
}

bool gpusnek_re_search(gpusnek_search_t *s, size_t start, bool occupied) {
    const byte *at = s->text + start;
    const bool anchored = RE_OPCODE(s->pattern->code[0]) == RE_BEGIN;
    const uint32_t *const first = s->pattern->first;
    const bool any = (first[0] & first[1] & first[2] & first[3]) == UINT32_MAX;
    for (;;) {
        if (!any) {
            const byte *const place = skip_impossible(s, at);
            occupied = occupied && place == at;
            if (place != at && place < s->end && place - at == PIECE) {
                at = place;
                continue;
            }
            at = place;
            if (at == s->end) {
                return false;
            }
        }
        if (gpusnek_re_match(s, at - s->text, occupied)) {
            return true;
        }
        if (at == s->end || anchored) {
            return false;
        }
        occupied = false;
        gpusnek_re_next(&at, s->end, s->pattern->is_str);
    }
}
