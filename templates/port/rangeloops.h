// `for i in range(...)`. Included by py/compile.c (patch `syntax`).
//
// Upstream compiles such a loop to an addition and a comparison. Both are the loop of the program only
// if `range` is the built-in function and its arguments are integers.

// Returns whether the program assigns no other object to the name `range`, in this scope or in one
// around it. A `global` statement of another function is not seen. Records the use of the name in the first pass, as the call of a function does.
static bool gpusnek_is_builtin_range(compiler_t *comp) {
    if (comp->pass == MP_PASS_SCOPE) {
        compile_load_id(comp, MP_QSTR_range);
        return true;
    }
    for (scope_t *scope = comp->scope_cur; scope != NULL; scope = scope->parent) {
        const id_info_t *id = scope_find(scope, MP_QSTR_range);
        // In a function, the first pass makes the names of globals explicit.
        if (id != NULL && id->kind != ID_INFO_KIND_GLOBAL_IMPLICIT && id->kind != ID_INFO_KIND_GLOBAL_EXPLICIT) {
            return false;
        }
    }
    return true;
}

// Raises TypeError at run time if the value on top of the stack, the result of `node`, is no
// integer: an integer is unchanged by `| 0`.
static void gpusnek_range_limit(compiler_t *comp, mp_parse_node_t node) {
    if (!MP_PARSE_NODE_IS_SMALL_INT(node)) {
        EMIT_ARG(load_const_small_int, 0);
        EMIT_ARG(binary_op, MP_BINARY_OP_OR);
    }
}
