"""Rules for leaving a function: longjmp and noreturn functions return, as device code requires.

Device code has no longjmp. `unwinding` implements it by a test after each call that may raise.

A check after each call that may raise returns while an unwind is in flight, or jumps to the landing
of the setjmp that is its target.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, insert, replace
from porter.rewrite.landings import Landing, covering
from porter.rewrite.queries import callee, evaluated, is_choice, returns_void, strip
from porter.rewrite.rule import Example, Rule, on_body
from porter.rewrite.spelling import ATTRIBUTE
from porter.rewrite.unwind_exits import exits_of
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, Span, TypeKind

_STRING = r'"(?:[^"\\\n]|\\.)*"'
_PLACES = re.compile(f"{_STRING}|{ATTRIBUTE.pattern}|\\b_Noreturn\\b")
_ITEM = re.compile(r"\b(?:__noreturn__|noreturn)\b")


class NoReturn(Rule):
    """Drops the noreturn attribute, because an unwind returns from the function."""

    name = "noreturn"
    example = Example(
        "__attribute__((noreturn)) void die(void);",
        " void die(void);",
    )

    def before_walk(self) -> Iterator[Edit]:
        """Search the text, because libclang reports attributes without their location."""
        for match in _PLACES.finditer(self.unit.text):
            place = match.group()
            if place == "_Noreturn":
                yield replace(Span(*match.span()), self.name)
            elif not place.startswith('"') and _ITEM.search(place):
                others = _ITEM.sub("", match.group(1)).replace(",", "").strip()
                kept = [_ITEM.sub("", place)] if others else []
                yield replace(Span(*match.span()), self.name, *kept)


class Returns(Rule):
    """Adds `return {};` at the end of a non-void function, whose end C++ must not reach."""

    name = "returns"
    example = Example(
        "int f(int n) { if (n) return n; }",
        "int f(int n) { if (n) return n; return {}; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Add a return to a non-void function whose last statement is not a return."""
        last = block.children[-1] if block.children else None
        if not returns_void(function) and (last is None or last.kind != K.RETURN_STMT):
            yield insert(block.end - 1, "return {}; ", self.name)


_TRANSPARENT = (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.CSTYLE_CAST_EXPR)
_UNTESTABLE = (
    TypeKind.RECORD,
    TypeKind.FLOAT,
    TypeKind.DOUBLE,
    TypeKind.LONGDOUBLE,
    TypeKind.COMPLEX,
)
_BRANCHES = (K.IF_STMT, K.SWITCH_STMT, K.WHILE_STMT)
# The node kinds of an expression that a landing may evaluate a second time.
_REPEATABLE = (
    *_TRANSPARENT,
    K.DECL_REF_EXPR,
    K.MEMBER_REF_EXPR,
    K.MEMBER_REF,
    K.INTEGER_LITERAL,
)


class Unwinding(Rule):
    """Returns at once after a call that unwinds, or jumps to the setjmp that it unwinds to."""

    name = "unwinding"
    example = Example(
        "int g(void); int (*p)(void); int f(void) { return p() + 1; }",
        "int g(void); int (*p)(void); int f(void) { return ({ auto r_ = p(); "
        "if (!r_ && PORTER_UNWINDING) return {}; r_; }) + 1; }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Insert the checks and landings of a function; a check depends on all landings."""
        exits = exits_of(function, self.program)
        raising, landings = exits.raising, exits.landings
        for call in block.walk(evaluated):
            if call.kind == K.CALL_EXPR and raising.may_raise(call):
                here = self._landings_of(call, landings)
                if not here and _is_tail(call, block):
                    continue
                yield self._check(call, exits.steps(here, call), raising.never_returns(call))
        # After the checks: the edit that makes an operand run only once encloses its check.
        for landing in landings:
            yield from self._landing(landing, block)

    def _landings_of(self, call: Node, landings: list[Landing]) -> list[Landing]:
        """Return the landings that cover a call, one for each buffer."""
        found: dict[str, Landing] = {}
        for landing in covering(landings, call.span):
            first = found.setdefault(landing.buffer.text, landing)
            if first is not landing and not first.precedes(call.span):
                raise self.refuse(call, "two setjmp calls of one buffer may have run before this")
        return list(found.values())

    def _landing(self, landing: Landing, block: Node) -> Iterator[Edit]:
        """Yield the edits of a landing: label, setjmp call, and operands that run only once."""
        yield insert(landing.statement.start, f"{landing.label}:; ", self.name)
        target = callee(landing.call)
        assert target is not None
        yield replace(target.span, self.name, "porter_setjmp")
        if landing.variable:
            if any(node.kind == K.CALL_EXPR for node in landing.buffer.walk()):
                raise self.refuse(landing.call, "a call in the argument of setjmp")
            declaration = f" const void *{landing.variable} = 0;"
            yield insert(block.start + 1, declaration, self.name)
            span = landing.buffer.span
            kept = f"{landing.variable} = PORTER_UNWINDING ? {landing.variable} : ("
            yield replace(span, self.name, kept, span, ")")
        node = landing.call
        while node.parent is not None and node is not landing.statement:
            yield from self._around(node, node.parent)
            node = node.parent

    def _around(self, node: Node, above: Node) -> Iterator[Edit]:
        """Refuse a statement that a landing cannot evaluate again down to its setjmp."""
        if above.kind == K.BINARY_OPERATOR:
            left, right = above.children
            if right is node:
                operator = above.binary_operator()
                if operator == ",":
                    once = "(PORTER_UNWINDING ? (void)0 : (void)("
                    yield replace(left.span, self.name, once, left.span, "))")
                elif operator not in ("==", "!=", "=") or not _is_repeatable(left):
                    raise self.refuse(above, "setjmp inside an expression")
        elif above.kind in _BRANCHES:
            if above.children[0] is not node:
                raise self.refuse(above, "setjmp in a branch without braces")
        elif above.kind == K.DECL_STMT:
            if len([c for c in above.children if c.kind == K.VAR_DECL]) != 1:
                raise self.refuse(above, "setjmp beside other declarators")
        elif above.kind not in (*_TRANSPARENT, K.UNARY_OPERATOR, K.VAR_DECL):
            raise self.refuse(above, "setjmp inside this construct")

    def _check(self, call: Node, steps: list[Part], always: bool) -> Edit:
        action = ["{ ", *steps, " }"] if len(steps) > 1 else steps
        is_void = call.canonical.kind == TypeKind.VOID
        guard = "" if always else "if (PORTER_UNWINDING) "
        if _is_statement(call):
            # The statement's own semicolon ends the last step.
            last = action if len(steps) > 1 else [str(steps[0]).removesuffix(";")]
            return replace(call.span, self.name, call.span, f"; {guard}", *last)
        if is_void:
            return replace(call.span, self.name, "({ ", call.span, f"; {guard}", *action, " })")
        if not always and call.canonical.kind not in _UNTESTABLE:
            guard = "if (!r_ && PORTER_UNWINDING) "
        whole = self._member(call)
        value: list[Part] = [" r_", Span(call.end, whole.end), "; })"]
        return replace(
            whole.span, self.name, "({ auto r_ = ", call.span, f"; {guard}", *action, *value
        )

    def _member(self, call: Node) -> Node:
        """Return the used member of a call's result, which nvcc requires inside the braces."""
        node = call
        if call.canonical.kind == TypeKind.RECORD:
            while node.parent is not None and node.parent.kind == K.MEMBER_REF_EXPR:
                node = node.parent
            if node.canonical.kind == TypeKind.CONSTANTARRAY:
                raise self.refuse(node, "an array in the result of a call")
        return node


def _is_repeatable(node: Node) -> bool:
    """Return whether evaluating an expression twice is the same as evaluating it once."""
    return all(inner.kind in _REPEATABLE for inner in node.walk())


def _is_statement(call: Node) -> bool:
    """Return whether a call is a statement of a block and its value is unused."""
    block = call.parent
    if block is None or block.kind != K.COMPOUND_STMT:
        return False
    is_value = block.parent is not None and block.parent.kind == K.StmtExpr
    return not (is_value and block.children[-1] is call)


def _is_tail(call: Node, block: Node) -> bool:
    """Return whether a call is in tail position: the function returns its value, or void.

    A tail call needs no check. An unwinding callee returns zero, and every conversion keeps zero,
    so a caller that tests the value first still detects the unwind.
    """
    node = call
    while (
        node.parent is not None and node.parent.kind in _TRANSPARENT and not is_choice(node.parent)
    ):
        node = node.parent
    above = node.parent
    if above is None:
        return False
    if above.kind == K.RETURN_STMT:
        return call.canonical.kind != TypeKind.RECORD or strip(node) is call
    return above is block and block.children[-1] is node and node is call and _is_void_call(call)


def _is_void_call(call: Node) -> bool:
    for above in call.ancestors():
        if above.kind == K.FUNCTION_DECL:
            return returns_void(above)
    return False
