// Statements that upstream's compiler lacks: `match`, `type`, generic functions and classes.
//
// The patch `syntax` includes this file in py/compile.c, behind the functions that it uses. It
// emits upstream's instructions only. A `match` statement keeps its subject on the stack until a
// case is chosen:
//
//     subject
//     for each case:  compare the subject; on failure go to the next case
//                     bind the names; evaluate the guard; on failure go to the next case
//                     drop the subject; run the block; go to the end
//     drop the subject
//
// Patterns of constants and names become comparisons. Other patterns become a description
// (patterns.h) and a call of gpusnek_match() (patterns.c).
#ifndef GPUSNEK_STATEMENTS_H
#define GPUSNEK_STATEMENTS_H

#include "patterns.h"

typedef struct {
    size_t count;
    bool alternative; // of an or-pattern, not the first: all its names are known
    qstr names[GPUSNEK_MOST_CAPTURES];
} gpusnek_captures_t;

static bool gpusnek_is_kind(mp_parse_node_t pn, size_t kind) {
    return MP_PARSE_NODE_IS_STRUCT_KIND(pn, kind);
}

static mp_parse_node_struct_t *gpusnek_struct(mp_parse_node_t pn) {
    return (mp_parse_node_struct_t *)pn;
}

static bool gpusnek_is_wildcard(mp_parse_node_t pn) {
    return MP_PARSE_NODE_IS_ID(pn) && MP_PARSE_NODE_LEAF_ARG(pn) == MP_QSTR__;
}

// Returns the pattern within parentheses that only group.
static mp_parse_node_t gpusnek_ungrouped(mp_parse_node_t pn) {
    while (gpusnek_is_kind(pn, PN_gpusnek_group)
        && !MP_PARSE_NODE_IS_NULL(gpusnek_struct(pn)->nodes[0])
        && !gpusnek_is_kind(gpusnek_struct(pn)->nodes[0], PN_gpusnek_patterns)
        && !gpusnek_is_kind(gpusnek_struct(pn)->nodes[0], PN_star_expr)) {
        pn = gpusnek_struct(pn)->nodes[0];
    }
    return pn;
}

// Whether a pattern matches every subject.
static bool gpusnek_is_irrefutable(mp_parse_node_t pn) {
    mp_cstack_check();
    pn = gpusnek_ungrouped(pn);
    if (gpusnek_is_kind(pn, PN_gpusnek_pattern) && MP_PARSE_NODE_IS_NULL(gpusnek_struct(pn)->nodes[2])) {
        return gpusnek_is_irrefutable(gpusnek_struct(pn)->nodes[0]);
    }
    if (gpusnek_is_kind(pn, PN_gpusnek_or)) {
        mp_parse_node_struct_t *pns = gpusnek_struct(pn);
        return gpusnek_is_irrefutable(pns->nodes[MP_PARSE_NODE_STRUCT_NUM_NODES(pns) - 1]);
    }
    return MP_PARSE_NODE_IS_ID(pn);
}

// Whether a pattern is one object to compare with.
static bool gpusnek_is_value(mp_parse_node_t pn) {
    return !MP_PARSE_NODE_IS_ID(pn) && !gpusnek_is_kind(pn, PN_gpusnek_pattern)
        && !gpusnek_is_kind(pn, PN_gpusnek_patterns) && !gpusnek_is_kind(pn, PN_gpusnek_or)
        && !gpusnek_is_kind(pn, PN_gpusnek_value) && !gpusnek_is_kind(pn, PN_gpusnek_group)
        && !gpusnek_is_kind(pn, PN_gpusnek_sequence) && !gpusnek_is_kind(pn, PN_gpusnek_mapping)
        && !gpusnek_is_kind(pn, PN_star_expr) && !MP_PARSE_NODE_IS_NULL(pn);
}

static bool gpusnek_is_same(mp_parse_node_t pn) {
    return MP_PARSE_NODE_IS_TOKEN_KIND(pn, MP_TOKEN_KW_NONE)
        || MP_PARSE_NODE_IS_TOKEN_KIND(pn, MP_TOKEN_KW_TRUE)
        || MP_PARSE_NODE_IS_TOKEN_KIND(pn, MP_TOKEN_KW_FALSE);
}

static void gpusnek_dotted(compiler_t *comp, mp_parse_node_t pn) {
    if (gpusnek_is_kind(pn, PN_dotted_name)) {
        mp_parse_node_struct_t *pns = gpusnek_struct(pn);
        compile_node(comp, pns->nodes[0]);
        for (size_t i = 1; i < MP_PARSE_NODE_STRUCT_NUM_NODES(pns); i++) {
            EMIT_ARG(attr, MP_PARSE_NODE_LEAF_ARG(pns->nodes[i]), MP_EMIT_ATTR_LOAD);
        }
    } else {
        compile_node(comp, pn);
    }
}

// Whether an expression is a literal: a number with an optional sign, a complex number, a string,
// None, True or False.
static bool gpusnek_is_literal(mp_parse_node_t pn) {
    if (MP_PARSE_NODE_IS_LEAF(pn)) {
        return !MP_PARSE_NODE_IS_ID(pn) && !MP_PARSE_NODE_IS_TOKEN_KIND(pn, MP_TOKEN_ELLIPSIS);
    }
    if (gpusnek_is_kind(pn, PN_arith_expr) || gpusnek_is_kind(pn, PN_factor_2)) {
        mp_parse_node_struct_t *pns = gpusnek_struct(pn);
        const size_t n = MP_PARSE_NODE_STRUCT_NUM_NODES(pns);
        mp_parse_node_t last = pns->nodes[n - 1];
        return n <= 3 && (MP_PARSE_NODE_IS_SMALL_INT(last) || gpusnek_is_kind(last, PN_const_object));
    }
    return gpusnek_is_kind(pn, PN_const_object);
}

static void gpusnek_value(compiler_t *comp, mp_parse_node_t pn) {
    if (!gpusnek_is_kind(pn, PN_dotted_name) && !gpusnek_is_literal(pn)) {
        compile_syntax_error(comp, pn, MP_ERROR_TEXT("patterns may only match literals and attribute lookups"));
        return;
    }
    gpusnek_dotted(comp, pn);
}

static size_t gpusnek_slot(compiler_t *comp, mp_parse_node_t name, gpusnek_captures_t *captures) {
    if (!MP_PARSE_NODE_IS_ID(name)) {
        compile_syntax_error(comp, name, MP_ERROR_TEXT("invalid pattern target"));
        return 0;
    }
    const qstr wanted = MP_PARSE_NODE_LEAF_ARG(name);
    size_t slot = 0;
    while (slot < captures->count && captures->names[slot] != wanted) {
        slot++;
    }
    if (captures->alternative) {
        if (slot == captures->count) {
            compile_syntax_error(comp, name, MP_ERROR_TEXT("alternative patterns bind different names"));
            return 0;
        }
    } else if (slot < captures->count) {
        compile_syntax_error(comp, name, MP_ERROR_TEXT("multiple assignments to name in pattern"));
    } else if (slot == GPUSNEK_MOST_CAPTURES) {
        compile_syntax_error(comp, name, MP_ERROR_TEXT("too many names in pattern"));
        return 0;
    } else {
        captures->names[captures->count++] = wanted;
    }
    return slot;
}

static void gpusnek_number(compiler_t *comp, mp_int_t number) {
    EMIT_ARG(load_const_small_int, number);
}

static void gpusnek_describe_target(compiler_t *comp, mp_parse_node_t name, gpusnek_captures_t *captures) {
    if (gpusnek_is_wildcard(name)) {
        gpusnek_number(comp, GPUSNEK_PATTERN_ANY);
    } else {
        gpusnek_number(comp, GPUSNEK_PATTERN_CAPTURE + (mp_int_t)gpusnek_slot(comp, name, captures));
    }
}

static void gpusnek_describe(compiler_t *comp, mp_parse_node_t pn, gpusnek_captures_t *captures);

static void gpusnek_describe_sequence(compiler_t *comp, mp_parse_node_t pn, gpusnek_captures_t *captures) {
    mp_parse_node_t *items;
    const size_t n = mp_parse_node_extract_list(&pn, PN_gpusnek_patterns, &items);
    mp_int_t star = -1;
    for (size_t i = 0; i < n; i++) {
        if (gpusnek_is_kind(items[i], PN_star_expr)) {
            if (star >= 0) {
                compile_syntax_error(comp, items[i], MP_ERROR_TEXT("multiple starred expressions in sequence pattern"));
            }
            star = (mp_int_t)i;
        }
    }
    gpusnek_number(comp, GPUSNEK_PATTERN_SEQUENCE);
    gpusnek_number(comp, star);
    for (size_t i = 0; i < n; i++) {
        if (gpusnek_is_kind(items[i], PN_star_expr)) {
            gpusnek_describe_target(comp, gpusnek_struct(items[i])->nodes[0], captures);
        } else {
            gpusnek_describe(comp, items[i], captures);
        }
    }
    EMIT_ARG(build, n + 2, MP_EMIT_BUILD_TUPLE);
}

static void gpusnek_describe_mapping(compiler_t *comp, mp_parse_node_t pn, gpusnek_captures_t *captures) {
    mp_parse_node_t *entries;
    size_t n = mp_parse_node_extract_list(&pn, PN_gpusnek_entries, &entries);
    gpusnek_number(comp, GPUSNEK_PATTERN_MAPPING);
    if (n > 0 && gpusnek_is_kind(entries[n - 1], PN_gpusnek_dict_spread)) {
        n--;
        gpusnek_describe_target(comp, gpusnek_struct(entries[n])->nodes[0], captures);
    } else {
        gpusnek_number(comp, GPUSNEK_PATTERN_ANY);
    }
    for (size_t i = 0; i < n; i++) {
        if (!gpusnek_is_kind(entries[i], PN_gpusnek_pair)) {
            compile_syntax_error(comp, entries[i], MP_ERROR_TEXT("invalid syntax"));
            return;
        }
        gpusnek_value(comp, gpusnek_struct(entries[i])->nodes[0]);
        gpusnek_describe(comp, gpusnek_struct(entries[i])->nodes[1], captures);
    }
    EMIT_ARG(build, 2 * n + 2, MP_EMIT_BUILD_TUPLE);
}

static bool gpusnek_is_named(mp_parse_node_t pn) {
    return gpusnek_is_kind(pn, PN_gpusnek_pattern) && !MP_PARSE_NODE_IS_NULL(gpusnek_struct(pn)->nodes[2]);
}

static void gpusnek_describe_class(compiler_t *comp, mp_parse_node_struct_t *pns, gpusnek_captures_t *captures) {
    mp_parse_node_t list = gpusnek_struct(pns->nodes[1])->nodes[0], *items;
    const size_t n = mp_parse_node_extract_list(&list, PN_gpusnek_patterns, &items);
    size_t positional = 0;
    while (positional < n && !gpusnek_is_named(items[positional])) {
        positional++;
    }
    gpusnek_number(comp, GPUSNEK_PATTERN_CLASS);
    gpusnek_dotted(comp, pns->nodes[0]);
    gpusnek_number(comp, (mp_int_t)positional);
    for (size_t i = 0; i < n; i++) {
        if (i < positional) {
            gpusnek_describe(comp, items[i], captures);
            continue;
        }
        if (!gpusnek_is_named(items[i])) {
            compile_syntax_error(comp, items[i], MP_ERROR_TEXT("positional patterns follow keyword patterns"));
            return;
        }
        mp_parse_node_struct_t *pair = gpusnek_struct(items[i]);
        if (!MP_PARSE_NODE_IS_ID(pair->nodes[0]) || !MP_PARSE_NODE_IS_NULL(pair->nodes[1])) {
            compile_syntax_error(comp, items[i], MP_ERROR_TEXT("invalid syntax"));
            return;
        }
        for (size_t j = positional; j < i; j++) {
            if (gpusnek_struct(items[j])->nodes[0] == pair->nodes[0]) {
                compile_syntax_error(comp, items[i], MP_ERROR_TEXT("attribute name repeated in class pattern"));
            }
        }
        EMIT_ARG(load_const_str, MP_PARSE_NODE_LEAF_ARG(pair->nodes[0]));
        gpusnek_describe(comp, gpusnek_struct(pair->nodes[2])->nodes[0], captures);
    }
    EMIT_ARG(build, 3 + positional + 2 * (n - positional), MP_EMIT_BUILD_TUPLE);
}

static void gpusnek_describe_or(compiler_t *comp, mp_parse_node_struct_t *pns, gpusnek_captures_t *captures) {
    const size_t n = MP_PARSE_NODE_STRUCT_NUM_NODES(pns);
    const bool outer = captures->alternative;
    gpusnek_number(comp, GPUSNEK_PATTERN_OR);
    for (size_t i = 0; i < n; i++) {
        if (i + 1 < n && gpusnek_is_irrefutable(pns->nodes[i])) {
            compile_syntax_error(comp, (mp_parse_node_t)pns, MP_ERROR_TEXT("pattern makes remaining patterns unreachable"));
        }
        captures->alternative = outer || i > 0;
        gpusnek_describe(comp, pns->nodes[i], captures);
    }
    captures->alternative = outer;
    EMIT_ARG(build, n + 1, MP_EMIT_BUILD_TUPLE);
}

// Leaves the description of a pattern on the stack.
static void gpusnek_describe(compiler_t *comp, mp_parse_node_t pn, gpusnek_captures_t *captures) {
    mp_cstack_check();
    pn = gpusnek_ungrouped(pn);
    if (MP_PARSE_NODE_IS_ID(pn)) {
        gpusnek_describe_target(comp, pn, captures);
    } else if (gpusnek_is_kind(pn, PN_gpusnek_or)) {
        gpusnek_describe_or(comp, gpusnek_struct(pn), captures);
    } else if (gpusnek_is_kind(pn, PN_gpusnek_pattern) && !gpusnek_is_named(pn)) {
        mp_parse_node_struct_t *pns = gpusnek_struct(pn);
        gpusnek_number(comp, GPUSNEK_PATTERN_AS);
        if (gpusnek_is_wildcard(pns->nodes[1])) {
            compile_syntax_error(comp, pn, MP_ERROR_TEXT("cannot use '_' as a target"));
        }
        gpusnek_describe_target(comp, pns->nodes[1], captures);
        gpusnek_describe(comp, pns->nodes[0], captures);
        EMIT_ARG(build, 3, MP_EMIT_BUILD_TUPLE);
    } else if (gpusnek_is_kind(pn, PN_gpusnek_sequence) || gpusnek_is_kind(pn, PN_gpusnek_group)) {
        gpusnek_describe_sequence(comp, gpusnek_struct(pn)->nodes[0], captures);
    } else if (gpusnek_is_kind(pn, PN_gpusnek_patterns)) {
        gpusnek_describe_sequence(comp, pn, captures);
    } else if (gpusnek_is_kind(pn, PN_gpusnek_mapping)) {
        gpusnek_describe_mapping(comp, gpusnek_struct(pn)->nodes[0], captures);
    } else if (gpusnek_is_kind(pn, PN_gpusnek_value)) {
        gpusnek_describe_class(comp, gpusnek_struct(pn), captures);
    } else if (gpusnek_is_value(pn)) {
        gpusnek_number(comp, gpusnek_is_same(pn) ? GPUSNEK_PATTERN_SAME : GPUSNEK_PATTERN_VALUE);
        gpusnek_value(comp, pn);
        EMIT_ARG(build, 2, MP_EMIT_BUILD_TUPLE);
    } else {
        compile_syntax_error(comp, pn, MP_ERROR_TEXT("invalid syntax"));
    }
}

static void gpusnek_case(compiler_t *comp, mp_parse_node_struct_t *pns, bool last, uint l_end) {
    if (MP_PARSE_NODE_LEAF_ARG(pns->nodes[0]) != MP_QSTR_case) {
        compile_syntax_error(comp, (mp_parse_node_t)pns, MP_ERROR_TEXT("invalid syntax"));
        return;
    }
    mp_parse_node_t pattern = gpusnek_ungrouped(pns->nodes[1]);
    mp_parse_node_t guard = pns->nodes[2];
    if (!last && MP_PARSE_NODE_IS_NULL(guard) && gpusnek_is_irrefutable(pattern)) {
        compile_syntax_error(comp, (mp_parse_node_t)pns, MP_ERROR_TEXT("pattern makes remaining patterns unreachable"));
    }
    if (gpusnek_is_kind(pattern, PN_star_expr)) {
        compile_syntax_error(comp, pattern, MP_ERROR_TEXT("invalid syntax"));
    }
    const uint l_next = comp_next_label(comp), l_fail = comp_next_label(comp);
    gpusnek_captures_t captures;
    captures.count = 0;
    captures.alternative = false;
    if (gpusnek_is_wildcard(pattern)) {
        // matches
    } else if (MP_PARSE_NODE_IS_ID(pattern)) {
        EMIT(dup_top);
        compile_store_id(comp, MP_PARSE_NODE_LEAF_ARG(pattern));
    } else if (gpusnek_is_value(pattern)) {
        EMIT(dup_top);
        gpusnek_value(comp, pattern);
        EMIT_ARG(binary_op, gpusnek_is_same(pattern) ? MP_BINARY_OP_IS : MP_BINARY_OP_EQUAL);
        EMIT_ARG(pop_jump_if, false, l_next);
    } else {
        EMIT(dup_top);
        EMIT_LOAD_GLOBAL(MP_QSTR__dot_match);
        EMIT(rot_two);
        gpusnek_describe(comp, pattern, &captures);
        gpusnek_number(comp, (mp_int_t)captures.count);
        EMIT_ARG(call_function, 3, 0, 0);
        if (captures.count == 0) {
            EMIT_ARG(pop_jump_if, false, l_next);
        } else {
            EMIT(dup_top);
            EMIT_ARG(pop_jump_if, false, l_fail);
            EMIT_ARG(unpack_sequence, captures.count);
            for (size_t i = 0; i < captures.count; i++) {
                compile_store_id(comp, captures.names[i]);
            }
        }
    }
    if (!MP_PARSE_NODE_IS_NULL(guard)) {
        c_if_cond(comp, guard, false, l_next);
    }
    EMIT(pop_top);
    compile_node(comp, pns->nodes[3]);
    EMIT_ARG(jump, l_end);
    EMIT_ARG(adjust_stack_size, 2);
    EMIT_ARG(label_assign, l_fail);
    EMIT(pop_top);
    EMIT_ARG(label_assign, l_next);
}

static void compile_gpusnek_match(compiler_t *comp, mp_parse_node_struct_t *pns) {
    const uint l_end = comp_next_label(comp);
    mp_parse_node_t *cases;
    const size_t n = mp_parse_node_extract_list(&pns->nodes[1], PN_gpusnek_cases, &cases);
    compile_node(comp, pns->nodes[0]);
    for (size_t i = 0; i < n; i++) {
        EMIT_ARG(set_source_line, gpusnek_struct(cases[i])->source_line);
        gpusnek_case(comp, gpusnek_struct(cases[i]), i + 1 == n, l_end);
    }
    EMIT(pop_top);
    EMIT_ARG(label_assign, l_end);
}

// `type X = value`: the value is a lambda, which runs when X.__value__ is read.
static void compile_gpusnek_type(compiler_t *comp, mp_parse_node_struct_t *pns) {
    gpusnek_type_parameters(comp, pns->nodes[0]);
    const qstr name = GPUSNEK_DEFINED_NAME(pns->nodes[0]);
    EMIT_LOAD_GLOBAL(MP_QSTR__dot_type);
    EMIT_ARG(load_const_str, name);
    compile_lambdef(comp, gpusnek_struct(pns->nodes[1]));
    EMIT_ARG(call_function, 2, 0, 0);
    compile_store_id(comp, name);
}

// Returns the `__qualname__` of a class: `Outer.Inner`, or `function.<locals>.Inner`.
static qstr gpusnek_class_path(const scope_t *scope) {
    size_t depth = 0;
    for (const scope_t *each = scope->parent; each != NULL && each->parent != NULL; each = each->parent) {
        depth++;
    }
    if (depth == 0) {
        return scope->simple_name;
    }
    vstr_t text;
    vstr_init(&text, 32);
    for (; depth > 0; depth--) {
        const scope_t *outer = scope;
        for (size_t i = 0; i < depth; i++) {
            outer = outer->parent;
        }
        vstr_add_str(&text, qstr_str(outer->simple_name));
        vstr_add_str(&text, outer->kind == SCOPE_CLASS ? "." : ".<locals>.");
    }
    vstr_add_str(&text, qstr_str(scope->simple_name));
    const qstr path = qstr_from_strn(text.buf, text.len);
    vstr_clear(&text);
    return path;
}

#endif
