"""Rule `unknown`: refuse constructs that no rule rewrites and that are not plain C++."""

from __future__ import annotations

import re
from collections.abc import Iterable

from porter.rewrite.edit import Edit
from porter.rewrite.rule import Example, Rule
from porter.rewrite.spelling import ATTRIBUTE, BUILTIN, CPP_KEYWORDS, TOKEN, cpp_name
from porter.syntax.node import RECORDS, Node, Span
from porter.syntax.node import CursorKind as K
from porter.syntax.node import TypeKind as T

_WORDS = {
    "_Generic": "a generic selection",
    "_Atomic": "an atomic type",
    "_Complex": "a complex type",
    "_Imaginary": "an imaginary type",
    "_Thread_local": "a variable of a thread",
    "__thread": "a variable of a thread",
    "__auto_type": "a type that the compiler finds",
    "__label__": "a label of a block",
    "__builtin_choose_expr": "a choice between expressions",
    "__builtin_types_compatible_p": "a comparison of types",
    # An expression can have different types in C and C++: `'a'` and `a == b` are int in C.
    "typeof": "the type of an expression",
    "__typeof": "the type of an expression",
    "__typeof__": "the type of an expression",
}
# The accepted reserved words. Rules replace them, or both compilers accept them in device code with
# C's semantics. Any other reserved word is refused unless the unit declares it.
_KNOWN_WORDS_TEXT = """
    _Alignas _Alignof _Bool _Noreturn _Static_assert
    __alignof __alignof__ __asm __asm__ __attribute __attribute__ __const __const__ __extension__
    __func__ __FUNCTION__ __LINE__ __inline __inline__ __int128 __restrict __restrict__ __signed
    __signed__ __volatile __volatile__
"""
_KNOWN_WORDS = frozenset(_KNOWN_WORDS_TEXT.split())
_LONG_DOUBLE = re.compile(r"\blong\s+double\b|\bdouble\s+long\b")
_RESERVED = re.compile(r"__|_[A-Z]")
# Attributes that both compilers accept or may ignore; `noreturn` has its own rule.
_KNOWN_ATTRIBUTES_TEXT = """
    aligned always_inline cold deprecated fallthrough flatten format format_arg gnu_printf hot
    leaf malloc may_alias mode no_instrument_function no_sanitize_address no_sanitize_undefined
    noinline nonnull noreturn nothrow packed printf returns_twice scanf sentinel unused used
    visibility warn_unused_result
    byte default hidden internal pointer word
"""
_KNOWN_ATTRIBUTES = frozenset(_KNOWN_ATTRIBUTES_TEXT.split())
_ATTRIBUTES = {
    "alias": "another name for a function",
    "cleanup": "a destructor, which C does not run when it unwinds",
    "constructor": "a function that runs before there is a state",
    "destructor": "a function that runs after there is a state",
    # During an unwind a function returns zero and has side effects on the state.
    "const": "a promise that a function does not raise",
    "pure": "a promise that a function does not raise",
    "returns_nonnull": "a promise that a function does not return null",
}
_OUR_NAMES = re.compile(
    r"(?:r_|(?:array|literal|type)_\d+_|porter_(?:kind|value|(?:landing|buffer)_\d+))\Z"
)
_NODES = {
    K.ADDR_LABEL_EXPR: "the address of a label",
    K.INDIRECT_GOTO_STMT: "a jump to an address",
}
# libclang's node kinds for C. A kind that is missing here is unknown to the rules.
_KINDS_TEXT = """
    STRUCT_DECL UNION_DECL ENUM_DECL FIELD_DECL ENUM_CONSTANT_DECL FUNCTION_DECL VAR_DECL PARM_DECL
    TYPEDEF_DECL UNEXPOSED_DECL STATIC_ASSERT TYPE_REF MEMBER_REF LABEL_REF
    UNEXPOSED_EXPR DECL_REF_EXPR MEMBER_REF_EXPR CALL_EXPR INTEGER_LITERAL FLOATING_LITERAL
    STRING_LITERAL CHARACTER_LITERAL PAREN_EXPR UNARY_OPERATOR ARRAY_SUBSCRIPT_EXPR BINARY_OPERATOR
    COMPOUND_ASSIGNMENT_OPERATOR CONDITIONAL_OPERATOR CSTYLE_CAST_EXPR COMPOUND_LITERAL_EXPR
    INIT_LIST_EXPR StmtExpr CXX_UNARY_EXPR
    UNEXPOSED_STMT LABEL_STMT COMPOUND_STMT CASE_STMT DEFAULT_STMT IF_STMT SWITCH_STMT WHILE_STMT
    DO_STMT FOR_STMT GOTO_STMT CONTINUE_STMT BREAK_STMT RETURN_STMT ASM_STMT NULL_STMT DECL_STMT
    UNEXPOSED_ATTR ASM_LABEL_ATTR PACKED_ATTR VISIBILITY_ATTR ALIGNED_ATTR WARN_UNUSED_RESULT_ATTR
"""
_KINDS = frozenset(getattr(K, name) for name in _KINDS_TEXT.split())
_EMPTY_ASM = re.compile(r'\w+\s*(?:__volatile__|volatile)?\s*\(\s*""')


class Unknown(Rule):
    """Refuses constructs that C++ lacks or interprets differently and that no rule rewrites."""

    name = "unknown"
    example = Example("int f(void) { return 1; }", "int f(void) { return 1; }")

    def before_walk(self) -> Iterable[Edit]:
        """Check every node first, because other rules rely on the absence of refused constructs."""
        self.check_words()
        long_double = _LONG_DOUBLE.search(self.unit.text) is not None
        for node in self.unit.walk():
            reason = _NODES.get(node.kind) or _refused_form(node)
            if long_double and node.kind.is_expression() and node.type.kind == T.LONGDOUBLE:
                reason = "a long double, which device code computes as a double"
            if reason is None and node.kind not in _KINDS:
                reason = f"a construct that no rule knows ({node.kind.name})"
            if reason is not None:
                raise self.refuse(node, reason)
        return ()

    def check_words(self) -> None:
        """Refuse words and attributes that no rule knows.

        `unit.py` also calls this method if libclang's Python bindings fail on the unit.

        Raises:
            UnknownConstruct: The unit contains an unknown word or attribute.
        """
        attributes = self._attributes()
        words: dict[str, Span] = {}
        for token in TOKEN.finditer(self.unit.text):
            if token.group() not in words:
                words[token.group()] = Span(*token.span())
        for word, span in words.items():
            if word in _WORDS:
                raise self.refuse_at(span, _WORDS[word])
            if _OUR_NAMES.match(word):
                raise self.refuse_at(span, "a name that the rules use")
        self._reserved(words, attributes)
        for keyword in sorted(CPP_KEYWORDS & words.keys()):
            if cpp_name(keyword) in words:
                reason = f"the name that {keyword} gets in C++"
                raise self.refuse_at(words[cpp_name(keyword)], reason)

    def _attributes(self) -> set[str]:
        """Return the words of the unit's attributes; refuse unknown attributes."""
        attributes: set[str] = set()
        for match in ATTRIBUTE.finditer(self.unit.text):
            for attribute in re.findall(r"\w+", match.group(1)):
                attributes.add(attribute)
                name = attribute.strip("_")
                reason = _ATTRIBUTES.get(name)
                if reason is None and name not in _KNOWN_ATTRIBUTES:
                    reason = "an attribute that no rule knows"
                if reason is not None:
                    raise self.refuse_at(Span(*match.span()), reason)
        return attributes

    def _reserved(self, words: dict[str, Span], known: set[str]) -> None:
        """Refuse undeclared reserved words not in `known`; builtins have their own rule."""
        left = [
            word
            for word in words
            if _RESERVED.match(word)
            and not word.startswith(BUILTIN)
            and word not in _KNOWN_WORDS | known
        ]
        if not left:
            return
        declared = {node.spelling for node in self.unit.walk() if node.kind.is_declaration()}
        for word in left:
            if word not in declared:
                raise self.refuse_at(words[word], "a word of the compiler's that no rule knows")


def _refused_form(node: Node) -> str | None:
    """Return the reason to refuse a node of a known kind, or None."""
    if node.kind == K.ASM_STMT and not _EMPTY_ASM.match(node.text):
        return "assembly"
    record = node.kind in RECORDS and node.cursor.is_definition()
    if record and not list(node.type.get_fields()):
        return "a type without members, which has a size in C++"
    return None
