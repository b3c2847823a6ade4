"""Rules for the types of expressions that differ in C++.

`casts` writes implicit conversions. `enums` and `signs` keep the arithmetic of enums. `sizes` names
the type in sizeof.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from clang.cindex import Type

from porter.rewrite.edit import Edit, replace, wrap
from porter.rewrite.queries import (
    above_parentheses,
    has_effect,
    is_choice,
    is_designated,
    is_implicit,
    is_unsigned_enum,
    strip,
)
from porter.rewrite.rule import Example, Rule, on
from porter.rewrite.spelling import is_nameless, spell
from porter.syntax.node import ALL_ARRAYS, FLOATS, INTEGERS, Node, TypeKind
from porter.syntax.node import CursorKind as K

_TRUTH = frozenset({"==", "!=", "<", ">", "<=", ">=", "&&", "||"})


class SizeOf(Rule):
    """Turns `sizeof('a')` and `sizeof(a == b)` into `sizeof(int)`, their type in C."""

    name = "sizes"
    example = Example(
        "int f(int a) { return sizeof('a') + sizeof(a == 1); }",
        "int f(int a) { return sizeof(int) + sizeof(int); }",
    )

    @on(K.CXX_UNARY_EXPR)
    def size(self, node: Node) -> Iterator[Edit]:
        """Replace the operand of a sizeof."""
        if not node.text.startswith("sizeof"):
            return
        operand = next((c for c in node.children if c.kind.is_expression()), None)
        if operand is not None and self._differs(strip(operand)):
            yield replace(node.span, self.name, f"sizeof({spell(operand.canonical)})")

    def _differs(self, operand: Node) -> bool:
        """Return whether an expression, such as a comparison, has another type in C++."""
        if operand.kind == K.CHARACTER_LITERAL:
            return True
        if operand.kind == K.DECL_REF_EXPR and operand.referenced is not None:
            return bool(operand.referenced.kind == K.ENUM_CONSTANT_DECL)
        if operand.kind == K.UNARY_OPERATOR:
            return operand.text.startswith("!")
        if operand.kind == K.BINARY_OPERATOR:
            operator = operand.binary_operator()
            if operator == ",":
                raise self.refuse(operand, "the size of an expression with a comma")
            return operator in _TRUTH
        return bool(operand.kind == K.CONDITIONAL_OPERATOR)


_COMPUTED = frozenset(
    {
        TypeKind.UINT,
        TypeKind.LONG,
        TypeKind.ULONG,
        TypeKind.LONGLONG,
        TypeKind.ULONGLONG,
        TypeKind.FLOAT,
        TypeKind.DOUBLE,
    }
)
_SAME = frozenset({"==", "!=", "&&", "||", ",", "="})


class Signs(Rule):
    """Casts an enum that C computes with as unsigned; C++ promotes it to int."""

    name = "signs"
    example = Example(
        "enum E { A, B }; int f(enum E e) { return e - 2 < 0; }",
        "enum E { A, B }; int f(enum E e) { return (unsigned int)(e) - 2 < 0; }",
    )

    @on(K.UNEXPOSED_EXPR)
    def conversion(self, node: Node) -> Iterator[Edit]:
        """Cast the operand of an implicit conversion of an enum."""
        if (
            is_implicit(node)
            and node.canonical.kind in _COMPUTED
            and is_unsigned_enum(node.children[0])
            and self._matters(node)
        ):
            yield wrap(node.span, "(unsigned int)(", ")", self.name)

    @staticmethod
    def _matters(node: Node) -> bool:
        """Return whether the signedness affects the result: in arithmetic, or when widened."""
        above = above_parentheses(node)
        if above is None:
            return False
        is_wider = node.canonical.kind != TypeKind.UINT
        if above.kind == K.BINARY_OPERATOR:
            operator = above.binary_operator()
            return operator not in _SAME or (is_wider and operator in ("==", "!="))
        if above.kind == K.COMPOUND_ASSIGNMENT_OPERATOR:
            return is_wider or above.binary_operator() in ("/=", "%=")
        return is_choice(above) or above.kind in (K.UNARY_OPERATOR, K.CONDITIONAL_OPERATOR)


_SIGNED = ("/", "%", ">>")


class Enums(Rule):
    """Turns `e |= x` and `e++` on an enum into assignments of a cast result."""

    name = "enums"
    example = Example(
        "enum E { A, B }; void f(enum E e) { e |= B; }",
        "enum E { A, B }; void f(enum E e) { e = (enum E)((e) | (B)); }",
    )

    @on(K.COMPOUND_ASSIGNMENT_OPERATOR)
    def compound(self, node: Node) -> Iterator[Edit]:
        """Rewrite `e |= x`."""
        if node.canonical.kind != TypeKind.ENUM:
            return
        left, right = node.children
        self._refuse_effects(left)
        operator = node.binary_operator().removesuffix("=")
        # C++ promotes the enum to int; C computes with its type, unsigned int.
        sign = "(unsigned int)" if operator in _SIGNED and is_unsigned_enum(left) else ""
        yield replace(
            node.span,
            self.name,
            left.span,
            f" = ({spell(node.type)})({sign}(",
            left.span,
            f") {operator} (",
            right.span,
            "))",
        )

    @on(K.UNARY_OPERATOR)
    def unary(self, node: Node) -> Iterator[Edit]:
        """Rewrite `e++` and `--e`."""
        if node.canonical.kind == TypeKind.ENUM and node.children:
            for step in ("++", "--"):
                if node.text.startswith(step) or node.text.endswith(step):
                    yield self._step(node, step[0])

    def _step(self, node: Node, sign: str) -> Edit:
        operand = node.children[0]
        self._refuse_effects(operand)
        if (
            node.parent is not None
            and node.parent.kind
            not in (K.COMPOUND_STMT, K.FOR_STMT, K.IF_STMT, K.WHILE_STMT, K.CASE_STMT)
            and not node.text.startswith(sign)
        ):
            raise self.refuse(node, "the value of a postfix step of an enum is used")
        return replace(
            node.span,
            self.name,
            "(",
            operand.span,
            f" = ({spell(node.type)})((",
            operand.span,
            f") {sign} 1))",
        )

    def _refuse_effects(self, operand: Node) -> None:
        """Refuse an operand with side effects, because the result evaluates it twice."""
        if any(map(has_effect, operand.walk())):
            raise self.refuse(operand, "an enum is changed where its place has effects")


_POINTERS = (TypeKind.POINTER,)
_FUNCTIONS = (TypeKind.FUNCTIONPROTO, TypeKind.FUNCTIONNOPROTO)


class Casts(Rule):
    """Adds a cast where C implicitly converts a pointer, an enum or a narrower integer."""

    name = "casts"
    example = Example(
        "void *f(void); int *g(void) { return f(); }",
        "void *f(void); int *g(void) { return (int *)(f()); }",
    )

    @on(K.UNEXPOSED_EXPR)
    def conversion(self, node: Node) -> Iterator[Edit]:
        """Make an implicit conversion explicit."""
        if not is_implicit(node) or not self._needed(node):
            return
        target = spell(node.type)
        if node.canonical.kind in ALL_ARRAYS:  # libclang's type of an array parameter
            target = spell(node.canonical.element_type) + " *"
        if not is_nameless(target):
            yield wrap(node.span, f"({target})(", ")", self.name)
        elif not _is_compared(node):  # C++ also compares any pointer with a void *
            raise self.refuse(node, f"a conversion to a type without a name ({target})")

    def _needed(self, node: Node) -> bool:
        parent = node.parent
        if parent is None or parent.kind == K.CSTYLE_CAST_EXPR:
            return False
        if parent.kind == K.CALL_EXPR and parent.children[0] is node:
            return False
        if parent.kind == K.UNEXPOSED_EXPR and parent.span == node.span and self._needed(parent):
            return False
        target = node.canonical
        source = node.children[0].canonical
        if target.kind in _POINTERS:
            return self._pointer_needs_cast(target.get_pointee(), source)
        if target.kind in ALL_ARRAYS:
            return self._pointer_needs_cast(target.element_type, source)
        if target.kind == TypeKind.ENUM:
            same = source.kind == TypeKind.ENUM
            return not same or target.get_declaration() != source.get_declaration()
        if target.kind in INTEGERS - {TypeKind.BOOL} and source.kind in (*_POINTERS, *ALL_ARRAYS):
            return True  # a warning in C
        if parent.kind == K.INIT_LIST_EXPR or is_designated(parent):
            return _narrows(target, source)
        return False

    @staticmethod
    def _pointer_needs_cast(to: Type, source: Type) -> bool:
        """Return whether C++ lacks an implicit conversion from `source` to a pointer to `to`."""
        if source.kind in _FUNCTIONS or source.kind in ALL_ARRAYS:
            return False
        if source.kind not in _POINTERS:
            return True
        of = source.get_pointee()
        if _unqualified(to) == _unqualified(of):
            return bool(
                (of.is_const_qualified() and not to.is_const_qualified())
                or (of.is_volatile_qualified() and not to.is_volatile_qualified())
            )
        if to.kind == TypeKind.VOID and of.kind not in _FUNCTIONS:
            return bool(of.is_const_qualified() and not to.is_const_qualified())
        return True


def _is_compared(node: Node) -> bool:
    """Return whether a value is an operand of == or !=."""
    above = above_parentheses(node)
    if above is None or above.kind != K.BINARY_OPERATOR:
        return False
    return above.binary_operator() in ("==", "!=")


def _unqualified(kind: Type) -> str:
    spelled = spell(kind.get_canonical())
    if kind.get_canonical().kind in _POINTERS:
        return re.sub(r"\s*\b(const|volatile)\b\s*$", "", spelled)
    return re.sub(r"^(?:(?:const|volatile)\s+)+", "", spelled)


def _narrows(target: Type, source: Type) -> bool:
    """Return whether C++ forbids the conversion in braces, as narrowing."""
    if target.kind in FLOATS:
        return source.kind in INTEGERS or (source.get_size() > target.get_size())
    if target.kind not in INTEGERS:
        return False
    return source.kind in INTEGERS | FLOATS and target.kind != source.kind
