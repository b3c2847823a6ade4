"""The loops of a function: their parts, and what runs on every turn."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from porter.rewrite.queries import evaluated, strip
from porter.syntax.kinds import LOOPS
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node
from porter.syntax.span import Span

_PAIRS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}
_FIRST_ONLY = (K.IF_STMT, K.SWITCH_STMT, K.CONDITIONAL_OPERATOR, K.WHILE_STMT)
_ELSEWHERE = (K.CONTINUE_STMT, K.GOTO_STMT, K.LABEL_STMT, K.CASE_STMT, K.DEFAULT_STMT)


@frozen(eq=False)
class Loop:
    """A for, while or do statement, or what lies between a label and a goto back to it.

    `inside` are the parts that a turn may run. Of a goto, `node` is the goto, `region` begins at
    the label, and there is neither condition nor step.
    """

    node: Node
    region: Span
    inside: tuple[Node, ...]
    condition: Node | None = None
    step: Node | None = None
    start: Node | None = None

    @property
    def body(self) -> Node | None:
        """The statement that is repeated, or None of a goto."""
        if self.node.kind == K.GOTO_STMT:
            return None
        return self.node.children[0 if self.node.kind == K.DO_STMT else -1]

    def nodes(self) -> Iterator[Node]:
        """Every node that a turn may evaluate which another turn follows."""
        for part in self.inside:
            yield from part.walk(lambda node: evaluated(node) and not self._leaves(node))

    def _leaves(self, node: Node) -> bool:
        """Whether what a block does is the last of the loop: it ends in return or break."""
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
        """The nodes that every turn evaluates which another turn follows."""
        body = self.body
        if body is None:
            return
        if self.condition is not None:
            for operand in conjuncts(self.condition):
                yield from surely(operand)
        if self.step is not None:
            yield from surely(self.step)
        if any(node.kind == K.LABEL_STMT for node in body.walk()):
            return  # a jump may leave out what stands before
        for statement in body.children if body.kind == K.COMPOUND_STMT else [body]:
            yield from surely(statement)
            if any(True for _ in continues(statement)):
                return


def loops_of(block: Node) -> list[Loop]:
    """The loops of a function's body, in the order of the text."""
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
    """The `continue` statements of a statement that belong to the loop around it."""
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
    """The three parts of a for statement's head; libclang leaves out those that are empty."""
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
    """The outermost nodes that lie in a region of the body."""
    stack = [block]
    while stack:
        node = stack.pop()
        if region.holds(node.span):
            yield node
        elif node.start < region.end and node.end > region.start:
            stack.extend(node.children)


def conjuncts(condition: Node) -> Iterator[Node]:
    """The operands all of which were true when another turn begins."""
    node = strip(condition)
    if node.kind == K.BINARY_OPERATOR and node.binary_operator() == "&&":
        for operand in node.children:
            yield from conjuncts(operand)
    else:
        yield node


def surely(node: Node) -> Iterator[Node]:
    """The nodes that are evaluated whenever `node` is and goes on to what follows it."""
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
    """Whether an operator may leave all but its first operand out."""
    if node.kind == K.UNEXPOSED_EXPR:
        return len(node.children) > 1
    return node.kind == K.BINARY_OPERATOR and node.binary_operator() in ("&&", "||")
