"""Strip mining: hoist the counter test and the interrupt poll out of the iterations of a loop.

Each iteration of a loop tests its counter, and the number of branches until the next interrupt
poll. A strip is a number of iterations in which neither can run out. It tests both once, and the
C++ compiler can unroll the plain loop that remains.

Eligible loops are innermost loops that count by a constant, up or down to a bound, and call nothing
that may run other code. An iteration in a strip may take a side exit. The number of branches until
the next poll is then the same as without strips.

A strip stands at the start of the block with the loop's test. The block stays complete behind it:
the block ends the loop, polls, and starts the iterations that no strip covers. A loop that accesses
elements of arrays gets further strips, one for each common typecode. A further strip tests the
typecode once.

writer.py passes the blocks of one C++ function as `WrittenBlock`, and emits the lines returned.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from string import ascii_lowercase

from attrs import frozen

from porter.compiler.emitter import Branch, CounterTest, Label, Look

_GOTO = re.compile(r"\bgoto L(\d+);")
_ASSIGNED = re.compile(r"(\w+) = (.*);")
MOST_LINES = 120  # C++ lines of a loop with a strip; longer loops gain little
MOST_TWICE = 40  # C++ lines of a loop with further strips for common typecodes
_VIEW = re.compile(r"\btier_view_(?:store_)?(float|int)\(e(\d+), e\2n, e\2c,")
_CODES, _USUAL = {"float": "fd", "int": "Bi"}, 2  # common typecodes of arrays
# Distance of the counter from the end of the loop, by comparison and direction.
_DISTANCES = {
    ("LESS", 1): "{bound} - {counter}",
    ("LESS_EQUAL", 1): "{bound} - {counter} + 1",
    ("MORE", -1): "{counter} - {bound}",
    ("MORE_EQUAL", -1): "{counter} - {bound} + 1",
}


@frozen
class WrittenBlock:
    """A block in C++.

    Attributes:
        at: Position of the block's first instruction, in bytes from the function's first one.
        about: The block's line of Python source with its number, for a comment.
        lines: C++ lines without the block's label.
        tested: Comparison of a loop counter that ends the block, if any.
    """

    at: int
    about: str
    lines: list[str]
    tested: CounterTest | None = None

    def text(self, blocks: Mapping[int, WrittenBlock]) -> list[str]:
        """Return the lines of the block with its label and, for a loop's test, a strip.

        Args:
            blocks: All blocks of the C++ function, by position.
        """
        lines = [*strip(self, blocks), *self.lines]
        return [f"L{self.at}: {{ // {self.about}".rstrip(), *map("    {}".format, lines), "}"]

    @property
    def leads_to(self) -> set[int]:
        """Positions of the blocks to which the block's C++ jumps."""
        return {int(to) for line in self.lines for to in _GOTO.findall(line)}


def strip(head: WrittenBlock, blocks: Mapping[int, WrittenBlock]) -> list[str]:
    """Return the lines of a strip for the loop that `head` tests; none if it is not eligible.

    Args:
        head: The block with the loop's test.
        blocks: All blocks of the C++ function, by position.
    """
    test = head.tested
    if test is None or _moves(head) is None:
        return []
    loop = _loop(head, test, blocks)
    step = _step(head, test, loop)
    if not step or any(_assigns(block, test.bound) for block in (head, *loop)):
        return []
    distance = _DISTANCES.get((test.op, 1 if step > 0 else -1))
    if distance is None or sum(len(block.lines) for block in loop) > MOST_LINES:
        return []
    distance = distance.format(bound=test.bound, counter=test.counter)
    return list(_Strip(head, loop, distance, abs(step), _takes(head, loop)).text())


def _moves(head: WrittenBlock) -> list[str] | None:
    """Return the lines of the test's block before an iteration; None if it does more than test."""
    test = head.tested
    assert test is not None
    lines = head.lines
    opening = f"if ({test.text}) {{"
    if opening not in lines:
        return None
    first = lines.index(opening)
    last = lines.index("}", first)
    if any(not isinstance(line, Look | Label | Branch) for line in lines[:first]):
        return None
    return lines[first + 1 : last]


def _loop(
    head: WrittenBlock, test: CounterTest, blocks: Mapping[int, WrittenBlock]
) -> Sequence[WrittenBlock]:
    """Return the loop's blocks without the head, in topological order.

    The result is empty if the loop contains another loop or may run other code.
    """
    inside: dict[int, set[int]] = {}
    todo = [test.into]
    while todo:
        at = todo.pop()
        if at in inside or at == head.at or at not in blocks:
            continue
        inside[at] = blocks[at].leads_to
        todo += inside[at]
    # Of the reachable blocks, the loop has those from which a path leads back to the head.
    back = {head.at}
    while more := {at for at, to in inside.items() if to & back} - back:
        back |= more
    ways = {at: to & back - {head.at} for at, to in inside.items() if at in back}
    try:
        order = list(TopologicalSorter(ways).static_order())[::-1]
    except CycleError:
        return []
    loop = [blocks[at] for at in order]
    if not loop or any("tier_polls()" in line for block in loop for line in block.lines):
        return []
    return loop


def _step(head: WrittenBlock, test: CounterTest, loop: Sequence[WrittenBlock]) -> int:
    """Return the increment of the counter in each iteration; 0 if it is unknown."""
    storing = [block for block in loop if _assigns(block, test.counter)]
    last = [block for block in loop if head.at in block.leads_to]
    if len(storing) != 1 or storing != last or _assigns(head, test.counter):
        return 0
    values = [line for line in storing[0].lines if line.startswith(f"{test.counter} = ")]
    found = _ASSIGNED.fullmatch(values[0])
    if len(values) != 1 or found is None:
        return 0
    return _added(storing[0], test.counter, found[2])


def _added(block: WrittenBlock, counter: str, value: str) -> int:
    sums = [line for line in block.lines if line.startswith(f"{value} = ")]
    text = sums[0].removeprefix(f"{value} = ") if len(sums) == 1 else f"{value};"
    found = re.fullmatch(rf"{counter} (\+|-) INT64_C\((-?\d+)\);", text)
    return 0 if found is None else int(found[2]) * (1 if found[1] == "+" else -1)


def _assigns(block: WrittenBlock, name: str) -> bool:
    return any(line.startswith(f"{name} = ") for line in block.lines)


def _takes(head: WrittenBlock, loop: Sequence[WrittenBlock]) -> int:
    """Return the maximum number of branches in one iteration."""
    most: dict[int, int] = {head.at: 0}
    for block in reversed(loop):
        own = sum(isinstance(line, Branch) for line in block.lines)
        most[block.at] = own + max((most[to] for to in block.leads_to if to in most), default=0)
    return 1 + most[loop[0].at]


@frozen
class _Strip:
    """An eligible loop. takes: maximum number of branches in one iteration."""

    head: WrittenBlock
    loop: Sequence[WrittenBlock]
    distance: str
    step: int
    takes: int

    def text(self) -> Iterator[str]:
        """Yield one strip for each common typecode of arrays, and one for all other arrays."""
        kinds = _kinds(self.loop)
        for number, codes in enumerate(kinds):
            asked = " && ".join(f"e{view}c == '{code}'" for view, code in codes.items())
            yield f"{'} else ' * bool(number)}if ({asked}) {{"
            yield from self._one(f"{self.head.at}{ascii_lowercase[number]}", codes)
        if kinds:
            yield "} else {"
        yield from self._one(str(self.head.at), {})
        if kinds:
            yield "}"

    def _one(self, label: str, codes: Mapping[str, str]) -> Iterator[str]:
        """Yield one strip. codes: typecodes of views that the strip assumes, by view number."""
        most = "left" if self.takes == 1 else f"left / {self.takes}"
        turns = f"tier_turns({most}, {self.distance}, INT64_C({self.step}))"
        if self.takes == 1:  # `left` then counts the iterations
            yield f"last = left - {turns};"
            yield "while (left > last) {"
        else:
            yield f"turns = {turns};"
            yield "while (--turns >= 0) {"
        yield "    left--;"
        for line in _moves(self.head) or ():
            yield f"    {self._there(line, label, codes)}"
        for block in self.loop:
            yield f"    S{label}_{block.at}: {{ // {block.about}".rstrip()
            for line in block.lines:
                if not isinstance(line, Look | Label):
                    yield f"        {self._there(line, label, codes)}"
            yield "    }"
        yield f"    S{label}_next:;"
        yield "}"

    def _there(self, line: str, label: str, codes: Mapping[str, str]) -> str:
        """Return a line with the jumps and typecodes that it has in a strip."""
        inside = {block.at for block in self.loop}

        def to(found: re.Match[str]) -> str:
            at = int(found[1])
            if at == self.head.at:
                return f"goto S{label}_next;"
            return f"goto S{label}_{at};" if at in inside else found[0]

        line = _GOTO.sub(to, line)
        for view, code in codes.items():
            line = line.replace(f"e{view}, e{view}n, e{view}c,", f"e{view}, e{view}n, '{code}',")
        return line


def _kinds(loop: Sequence[WrittenBlock]) -> list[dict[str, str]]:
    """Return typecodes by view number for each further strip; none if they do not pay off."""
    lines = [line for block in loop for line in block.lines]
    used: dict[str, set[str]] = {}
    for kind, view in (found.groups() for line in lines for found in _VIEW.finditer(line)):
        used.setdefault(view, set()).add(kind)
    of = {view: kinds.pop() for view, kinds in used.items() if len(kinds) == 1}
    of = {view: kind for view, kind in of.items() if not _looked_at(lines, view)}
    if not of or len(lines) > MOST_TWICE:
        return []
    return [{view: _CODES[kind][number] for view, kind in of.items()} for number in range(_USUAL)]


def _looked_at(lines: Sequence[str], view: str) -> bool:
    """Return whether each iteration computes the view anew."""
    return any(line.startswith(f"TIER_VIEW(e{view},") for line in lines)
