"""Find the loops of a function, and the nodes that each iteration evaluates."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from porter.rewrite.queries import evaluated, strip
from porter.syntax.node import LOOPS, Node, Span
from porter.syntax.node import CursorKind as K

_PAIRS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_FIRST_ONLY = (K.IF_STMT, K.SWITCH_STMT, K.CONDITIONAL_OPERATOR, K.WHILE_STMT)
_ELSEWHERE = (K.CONTINUE_STMT, K.GOTO_STMT, K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT)


@frozen(eq=False)
class Loop:
    """A for, while or do statement, or the code between a label and a goto back to it.

    Attributes:
        node: The statement, or the goto.
        region: The range of the loop; for a goto it begins at the label.
        inside: The parts that an iteration may run.
        condition: The condition; None for a goto or if absent.
        step: The third expression of a for statement.
        start: The first expression or declaration of a for statement.
    """

    node: Node
    region: Span
    inside: tuple[Node, ...]
    condition: Node | None = None
    step: Node | None = None
    start: Node | None = None

    @property
    def body(self) -> Node | None:
        """The repeated statement; None for a goto."""
        if self.node.kind == K.GOTO_STMT:
            return None
        return self.node.children[0 if self.node.kind == K.DO_STMT else -1]

    def nodes(self) -> Iterator[Node]:
        """Yield the nodes that an iteration may evaluate if another iteration follows."""
        for part in self.inside:
            yield from part.walk(lambda node: evaluated(node) and not self._leaves(node))

    def _leaves(self, node: Node) -> bool:
        """Return whether a block always leaves the loop: it ends in return or break."""
        if node.kind != K.COMPOUND_STMT or node is self.body or not node.children:
            return False
        last = node.children[-1].kind
        if last == K.BREAK_STMT:
            for above in node.ancestors():
                if above is self.node:
                    break
                if above.kind in (*LOOPS, K.SWITCH_STMT):
                    return False
        elif last != K.RETURN_STMT:
            return False
        return not any(inner.kind in _ELSEWHERE for inner in node.walk())

    def every_turn(self) -> Iterator[Node]:
        """Yield the nodes that every iteration evaluates if another iteration follows."""
        body = self.body
        if body is None:
            return
        if self.condition is not None:
            for operand in conjuncts(self.condition):
                yield from surely(operand)
        if self.step is not None:
            yield from surely(self.step)
        if any(node.kind == K.LABEL_STMT for node in body.walk()):
            return  # a jump to the label may skip statements
        for statement in body.children if body.kind == K.COMPOUND_STMT else [body]:
            yield from surely(statement)
            if any(True for _ in continues(statement)):
                return


def loops_of(block: Node) -> list[Loop]:
    """Return the loops of a function's body, in source order."""
    labels = {node.spelling: node for node in block.walk() if node.kind == K.LABEL_STMT}
    found = []
    for node in block.walk(evaluated):
        if node.kind in LOOPS:
            found.append(_loop(node))
        elif node.kind == K.GOTO_STMT:
            label = labels[node.children[0].spelling]
            if label.start < node.start:
                region = Span(label.start, node.end)
                found.append(Loop(node, region, tuple(_between(block, region))))
    return found


def continues(statement: Node) -> Iterator[Node]:
    """Yield the `continue` statements in a loop's body that belong to this loop."""
    yield from (
        node
        for node in statement.walk(lambda node: node.kind not in LOOPS)
        if node.kind == K.CONTINUE_STMT
    )


def _loop(node: Node) -> Loop:
    if node.kind == K.FOR_STMT:
        start, condition, step = _heads(node)
        inside = [part for part in (condition, step, node.children[-1]) if part is not None]
        return Loop(node, node.span, tuple(inside), condition, step, start)
    condition = node.children[1 if node.kind == K.DO_STMT else 0]
    return Loop(node, node.span, tuple(node.children), condition)


def _heads(node: Node) -> list[Node | None]:
    """Return the three parts of a for statement's head; libclang omits empty ones."""
    text, depth, part = node.unit.text, 0, 0
    parts: list[Node | None] = [None, None, None]
    heads = iter(node.children[:-1])
    head = next(heads, None)
    position = text.index("(", node.start) + 1
    while part < 3 and depth >= 0:
        if head is not None and head.start <= position:
            parts[part] = head
            ended = text[head.end - 1] == ";"  # a declaration's semicolon is its own
            position = head.end - ended
            head = next(heads, None)
        elif text[position] == "#" and text[position - 1] == "\n":
            position = text.index("\n", position)
        elif text[position] == ";":
            part, position = part + 1, position + 1
        else:
            depth += _PAIRS.get(text[position], 0)
            position += 1
    return parts


def _between(block: Node, region: Span) -> Iterator[Node]:
    """Yield the outermost nodes inside a region of the body."""
    stack = [block]
    while stack:
        node = stack.pop()
        if region.holds(node.span):
            yield node
        elif node.start < region.end and node.end > region.start:
            stack.extend(node.children)


def conjuncts(condition: Node) -> Iterator[Node]:
    """Yield the operands of a conjunction: all were true if an iteration begins."""
    node = strip(condition)
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "&&":
        for operand in node.children:
            yield from conjuncts(operand)
    else:
        yield node


def surely(node: Node) -> Iterator[Node]:
    """Yield the nodes that are evaluated whenever `node` is evaluated to its end."""
    stack = [node]
    while stack:
        inner = stack.pop()
        yield inner
        if inner.kind in _FIRST_ONLY or _is_lazy(inner):
            stack.append(inner.children[0])
        elif inner.kind == K.FOR_STMT:
            stack.extend(part for part in _heads(inner)[:2] if part is not None)
        elif evaluated(inner):
            stack.extend(inner.children)


def _is_lazy(node: Node) -> bool:
    """Return whether an operator short-circuits: it may skip all but its first operand."""
    if node.kind == K.UNEXPOSED_EXPR:
        return len(node.children) > 1
    return node.kind == K.BINARY_OPERATOR and node.binary_operator() in ("&&", "||")
