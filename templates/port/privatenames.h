// Private names of classes: in the body of a class C, `__x` is the name `_C__x`. The patch `syntax`
// includes this file in py/compile.c, before the functions that load and store names.
//
// The names of a class body are replaced in its parse tree, before the body is compiled. Names of
// nested functions and classes, and of imported modules, stay in the tree, because the objects have
// them too. compile_store_id() replaces these where they are stored. Keyword arguments of calls keep
// their names, as in CPython.
#ifndef GPUSNEK_PRIVATENAMES_H
#define GPUSNEK_PRIVATENAMES_H

#include "classes.h"

// Returns a private name in a scope of a class, or another name as it is.
static qstr gpusnek_private_name(const scope_t *scope, qstr name) {
    if (!gpusnek_is_private(name)) {
        return name;
    }
    while (scope != NULL && scope->kind != SCOPE_CLASS) {
        scope = scope->parent;
    }
    return scope == NULL ? name : gpusnek_mangle(scope->simple_name, name);
}

// Replaces the private names in a part of the body of the class `scope`, but not in the bodies of
// nested classes.
static void gpusnek_private_names(const scope_t *scope, mp_parse_node_t *pn) {
    mp_cstack_check();
    if (MP_PARSE_NODE_IS_ID(*pn)) {
        const qstr name = MP_PARSE_NODE_LEAF_ARG(*pn), mangled = gpusnek_private_name(scope, name);
        if (mangled != name) {
            *pn = mp_parse_node_new_leaf(MP_PARSE_NODE_ID, mangled);
        }
        return;
    }
    if (!MP_PARSE_NODE_IS_STRUCT(*pn)) {
        return;
    }
    mp_parse_node_struct_t *const pns = (mp_parse_node_struct_t *)*pn;
    const size_t kind = MP_PARSE_NODE_STRUCT_KIND(pns);
    if (kind == PN_const_object || kind == PN_import_name || kind == PN_import_from) {
        return;
    }
    size_t begin = 0, end = MP_PARSE_NODE_STRUCT_NUM_NODES(pns);
    if (kind == PN_funcdef || kind == PN_classdef) { // a name, parameters or bases, and a body
        if (MP_PARSE_NODE_IS_STRUCT(pns->nodes[0])) { // with type parameters
            gpusnek_private_names(scope, &((mp_parse_node_struct_t *)pns->nodes[0])->nodes[1]);
        }
        begin = 1;
        end = kind == PN_classdef ? 2 : 4;
    } else if ((kind == PN_argument && !MP_PARSE_NODE_IS_STRUCT_KIND(pns->nodes[1], PN_argument_3)
                && !MP_PARSE_NODE_IS_STRUCT_KIND(pns->nodes[1], PN_comp_for))
               || (kind == PN_gpusnek_pattern && !MP_PARSE_NODE_IS_NULL(pns->nodes[2]))) {
        begin = 1; // CPython leaves the names of keyword arguments
    }
    for (size_t i = begin; i < end; i++) {
        gpusnek_private_names(scope, &pns->nodes[i]);
    }
}

#endif
