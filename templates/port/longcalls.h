// Calls with more arguments than an instruction counts. Included by py/compile.c (patch
// `displays`).
//
// CALL_FUNCTION and CALL_METHOD count positional and keyword arguments in 8 bits each, and a map of
// one word tells which positional arguments have a star. A longer call appends its positional
// arguments to a list, puts its keyword arguments into dicts, and is compiled as
// f(*list, **dict, ...).
#include "codelimits.h"

#define GPUSNEK_STAR_ARGUMENTS 60 // a small integer has a bit for each
#define GPUSNEK_CALL_ARGUMENTS 200 // of 255; the rest is for the arguments of a class statement

static bool gpusnek_is_keyword(mp_parse_node_t arg) {
    if (!MP_PARSE_NODE_IS_STRUCT_KIND(arg, PN_argument)) {
        return MP_PARSE_NODE_IS_STRUCT_KIND(arg, PN_arglist_dbl_star);
    }
    mp_parse_node_struct_t *pns = (mp_parse_node_struct_t *)arg;
    return !MP_PARSE_NODE_IS_STRUCT_KIND(pns->nodes[1], PN_argument_3)
        && !MP_PARSE_NODE_IS_STRUCT_KIND(pns->nodes[1], PN_comp_for);
}

// Appends an argument to the list on top of the stack.
static void gpusnek_append_argument(compiler_t *comp, mp_parse_node_t arg) {
    bool star = MP_PARSE_NODE_IS_STRUCT_KIND(arg, PN_arglist_star);
    mp_parse_node_struct_t *pns = (mp_parse_node_struct_t *)arg;
    EMIT(dup_top);
    EMIT_ARG(load_method, star ? MP_QSTR_extend : MP_QSTR_append, false);
    if (star) {
        compile_node(comp, pns->nodes[0]);
    } else if (!MP_PARSE_NODE_IS_STRUCT_KIND(arg, PN_argument)) {
        compile_node(comp, arg);
    } else if (MP_PARSE_NODE_IS_STRUCT_KIND(pns->nodes[1], PN_comp_for)) {
        compile_comprehension(comp, pns, SCOPE_GEN_EXPR);
    } else {
        compile_namedexpr_helper(
            comp, pns->nodes[0], ((mp_parse_node_struct_t *)pns->nodes[1])->nodes[0]);
    }
    EMIT_ARG(call_method, 1, 0, 0);
    EMIT(pop_top);
}

// Adds a keyword argument to the dict on top of the stack. Returns false after an error.
static bool gpusnek_add_keyword(compiler_t *comp, mp_parse_node_struct_t *arg, mp_map_t *names) {
    if (!MP_PARSE_NODE_IS_ID(arg->nodes[0])) {
        compile_syntax_error(comp, (mp_parse_node_t)arg, MP_ERROR_TEXT("LHS of keyword arg must be an id"));
        return false;
    }
    const qstr name = MP_PARSE_NODE_LEAF_ARG(arg->nodes[0]);
    mp_map_elem_t *entry =
        mp_map_lookup(names, MP_OBJ_NEW_QSTR(name), MP_MAP_LOOKUP_ADD_IF_NOT_FOUND);
    if (entry->value != MP_OBJ_NULL) {
        compile_syntax_error(comp, (mp_parse_node_t)arg, MP_ERROR_TEXT("keyword argument repeated"));
        return false;
    }
    entry->value = mp_const_true;
    EMIT(dup_top);
    EMIT_ARG(load_method, MP_QSTR___setitem__, false);
    EMIT_ARG(load_const_str, name);
    compile_node(comp, arg->nodes[1]);
    EMIT_ARG(call_method, 2, 0, 0);
    EMIT(pop_top);
    return true;
}

// Compiles the keyword arguments. Returns how many dicts the call has, or -1 after an error.
static int gpusnek_keyword_dicts(compiler_t *comp, mp_parse_node_t *args, size_t n_args) {
    mp_map_t names;
    mp_map_init(&names, 0);
    int dicts = 0;
    bool open = false; // the dict on top of the stack has no arguments behind a double star
    for (size_t i = 0; i < n_args; i++) {
        if (!gpusnek_is_keyword(args[i])) {
            continue;
        }
        mp_parse_node_struct_t *arg = (mp_parse_node_struct_t *)args[i];
        bool spread = MP_PARSE_NODE_STRUCT_KIND(arg) == PN_arglist_dbl_star;
        if (spread || !open) {
            EMIT(load_null);
            dicts++;
            open = !spread;
            if (open) {
                EMIT_ARG(build, 0, MP_EMIT_BUILD_MAP);
            }
        }
        if (spread) {
            compile_node(comp, arg->nodes[0]);
        } else if (!gpusnek_add_keyword(comp, arg, &names)) {
            dicts = -1;
            break;
        }
    }
    mp_map_deinit(&names);
    if (dicts > GPUSNEK_CALL_ARGUMENTS) {
        mp_raise_NotImplementedError(MP_ERROR_TEXT("too many ** arguments"));
    }
    return dicts;
}

// Returns whether a call needs this form: by the number of its arguments, or by a star behind the
// arguments that the map has bits for.
static bool gpusnek_is_long_call(mp_parse_node_t *args, size_t n_args) {
    bool longer = n_args > GPUSNEK_CALL_ARGUMENTS;
    for (size_t i = GPUSNEK_STAR_ARGUMENTS; i < n_args && !longer; i++) {
        longer = MP_PARSE_NODE_IS_STRUCT_KIND(args[i], PN_arglist_star);
    }
    return longer;
}

// Compiles a long call, whose function and `before` arguments are on the stack. Returns false for
// other calls.
static bool gpusnek_long_call(compiler_t *comp, mp_parse_node_t list, bool is_method, int before) {
    mp_parse_node_t *args;
    size_t n_args = mp_parse_node_extract_list(&list, PN_arglist, &args);
    if (!gpusnek_is_long_call(args, n_args)) {
        return false;
    }
    EMIT_ARG(build, 0, MP_EMIT_BUILD_LIST);
    bool named = false, spread = false; // what came before the argument
    for (size_t i = 0; i < n_args; i++) {
        bool star = MP_PARSE_NODE_IS_STRUCT_KIND(args[i], PN_arglist_star);
        if (gpusnek_is_keyword(args[i])) {
            named = true;
            spread |= MP_PARSE_NODE_IS_STRUCT_KIND(args[i], PN_arglist_dbl_star);
        } else if (spread) {
            compile_syntax_error(comp, args[i], star ? MP_ERROR_TEXT("* arg after **")
                : MP_ERROR_TEXT("positional arg after **"));
            return true;
        } else if (named && !star) {
            compile_syntax_error(comp, args[i], MP_ERROR_TEXT("positional arg after keyword arg"));
            return true;
        } else {
            gpusnek_append_argument(comp, args[i]);
        }
    }
    int dicts = gpusnek_keyword_dicts(comp, args, n_args);
    if (dicts < 0) {
        return true;
    }
    EMIT_ARG(load_const_small_int, (mp_int_t)1 << before); // the map of the arguments with a star
    uint flags = MP_EMIT_STAR_FLAG_SINGLE | (dicts > 0 ? MP_EMIT_STAR_FLAG_DOUBLE : 0);
    if (is_method) {
        EMIT_ARG(call_method, before + 1, dicts, flags);
    } else {
        EMIT_ARG(call_function, before + 1, dicts, flags);
    }
    return true;
}
