"""Makes longjmp a return: the checks after calls that may raise, and the landings at setjmp."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from porter.rewrite.edit import Edit, Span, insert, replace
from porter.rewrite.facts import (
    body,
    callee,
    calls_pointer,
    evaluated,
    never_returns,
    strip,
    symbol_key,
)
from porter.rewrite.program import Program
from porter.rewrite.rules.base import Example, Rule
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind, Unit

_TRANSPARENT = (K.UNEXPOSED_EXPR, K.PAREN_EXPR, K.CSTYLE_CAST_EXPR)
_SEQUENCES = (K.COMPOUND_STMT, K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT)
_UNTESTABLE = (TypeKind.RECORD, TypeKind.FLOAT, TypeKind.DOUBLE, TypeKind.LONGDOUBLE)


@frozen
class Landing:
    """A setjmp call: the buffer's text, the label before its statement, where it applies."""

    call: Node
    buffer: str
    label: str
    statement: Node
    scope: Span

    def covers(self, call: Node) -> bool:
        """Whether an unwind that starts at `call` can land here."""
        return self.call.end <= call.start and call.end <= self.scope.end


class Unwinding(Rule):
    """Returns at once after a call that unwinds, or jumps to the setjmp that it unwinds to."""

    name = "unwinding"
    example = Example(
        "int g(void); int (*p)(void); int f(void) { return p() + 1; }",
        "int g(void); int (*p)(void); int f(void) { return ({ auto r_ = p(); "
        "if (!r_ && PORTER_UNWINDING) return {}; r_; }) + 1; }",
    )

    def edits(self, unit: Unit, program: Program) -> Iterator[Edit]:
        for function in unit.declarations:
            block = body(function) if function.kind == K.FUNCTION_DECL else None
            if block is None:
                continue
            landings = list(self._landings(block))
            for number, landing in enumerate(landings):
                yield from self._landing(landing, number)
            leave = "return;" if returns_void(function) else "return {};"
            for call in block.walk(evaluated):
                if call.kind == K.CALL_EXPR and self._may_raise(unit, call, program):
                    covering = [landing for landing in landings if landing.covers(call)]
                    if not covering and _is_tail(call, block):
                        continue
                    yield self._check(call, covering, leave)

    def _may_raise(self, unit: Unit, call: Node, program: Program) -> bool:
        target = callee(call)
        if target is None:
            return calls_pointer(call)
        return symbol_key(unit.name, target.referenced) in program.raising

    def _landings(self, block: Node) -> Iterator[Landing]:
        for call in block.walk(evaluated):
            target = callee(call) if call.kind == K.CALL_EXPR else None
            if target is None or target.spelling != "setjmp":
                continue
            statement = call
            while statement.parent is not None and statement.parent.kind not in _SEQUENCES:
                statement = statement.parent
            scope = next(above for above in statement.ancestors() if above.kind == K.COMPOUND_STMT)
            buffer = call.children[1].text
            label = f"porter_landing_{call.start}"
            yield Landing(call, buffer, label, statement, scope.span)

    def _landing(self, landing: Landing, number: int) -> Iterator[Edit]:
        yield insert(landing.statement.start, f"{landing.label}:; ", self.name)
        target = callee(landing.call)
        assert target is not None
        yield replace(target.span, self.name, "porter_setjmp")
        node = landing.call
        while node.parent is not None and node is not landing.statement:
            above = node.parent
            if above.kind == K.BINARY_OPERATOR and above.children[1] is node:
                if above.binary_operator() == ",":
                    left = above.children[0]
                    yield replace(
                        left.span,
                        self.name,
                        f"(porter_landing_at({landing.buffer}) ? (void)0 : (void)(",
                        left.span,
                        "))",
                    )
                elif above.binary_operator() not in ("==", "!=", "="):
                    raise self.refuse(above, "setjmp inside an expression")
            elif above.kind not in (
                *_TRANSPARENT,
                K.BINARY_OPERATOR,
                K.UNARY_OPERATOR,
                K.IF_STMT,
                K.SWITCH_STMT,
                K.VAR_DECL,
                K.DECL_STMT,
                K.WHILE_STMT,
            ):
                raise self.refuse(above, "setjmp inside this construct")
            node = above

    def _check(self, call: Node, landings: list[Landing], leave: str) -> Edit:
        target = callee(call)
        always = target is not None and never_returns(target)
        returns_void = call.canonical.kind == TypeKind.VOID
        steps = "".join(
            f"if (porter_landing_at({landing.buffer})) goto {landing.label}; "
            for landing in reversed(landings)
        )
        action = f"{{ {steps}{leave} }}" if steps else leave
        if _is_statement(call):
            check = action if always else f"if (PORTER_UNWINDING) {action}"
            return replace(call.span, self.name, call.span, "; " + check.removesuffix(";"))
        if returns_void:
            check = action if always else f"if (PORTER_UNWINDING) {action}"
            return replace(call.span, self.name, "({ ", call.span, f"; {check} }})")
        guard = "" if always else "if (PORTER_UNWINDING) "
        if not always and call.canonical.kind not in _UNTESTABLE:
            guard = "if (!r_ && PORTER_UNWINDING) "
        return replace(
            call.span, self.name, "({ auto r_ = ", call.span, f"; {guard}{action} r_; }})"
        )


def _is_statement(call: Node) -> bool:
    """Whether a call stands as a statement of a block and nothing uses its value."""
    block = call.parent
    if block is None or block.kind != K.COMPOUND_STMT:
        return False
    is_value = block.parent is not None and block.parent.kind == K.StmtExpr
    return not (is_value and block.children[-1] is call)


def returns_void(function: Node) -> bool:
    return bool(function.cursor.result_type.get_canonical().kind == TypeKind.VOID)


def _is_tail(call: Node, block: Node) -> bool:
    """Whether the function returns right after the call, with the call's own value or none."""
    node = call
    while node.parent is not None and node.parent.kind in _TRANSPARENT:
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
