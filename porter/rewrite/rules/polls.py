"""Draws on the poll budget in loops that nothing else bounds."""

from __future__ import annotations

from collections.abc import Iterator

from porter.rewrite.edit import Edit, Part, replace
from porter.rewrite.landings import Landing, covering, find_landings, steps_to
from porter.rewrite.loopfacts import BUDGET
from porter.rewrite.loops import Loop, continues, loops_of
from porter.rewrite.queries import leaving, symbol_key
from porter.rewrite.rule import Example, Rule, on_body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node
from porter.syntax.span import Span


class Polls(Rule):
    """Looks at every back edge of an unbounded loop whether the program is to be interrupted."""

    name = "polls"
    example = Example(
        "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { }\n"
        "_Noreturn void g(void) { } void f(unsigned long n) { while (n--) { } }",
        "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { }\n"
        "_Noreturn void g(void) { } void f(unsigned long n) { while (n--) { "
        "if (porter_poll(PORTER_STATE->gpusnek_poll_budget, false)) return; } }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Writes the polls of the loops that the whole program says to poll."""
        polled = self.program.polls.get(symbol_key(self.unit.name, function.cursor))
        if not polled:
            return
        landings = find_landings(block)
        leave = leaving(function)
        for number, loop in enumerate(loops_of(block)):
            if number in polled:
                yield from self._polls(loop, polled[number], landings, leave)

    def _polls(
        self, loop: Loop, raises: bool, landings: list[Landing], leave: str
    ) -> Iterator[Edit]:
        body = loop.body
        jumps = [loop.node] if body is None else continues(body)
        for jump in jumps:
            check = self._check(jump.span, raises, landings, leave)
            yield replace(jump.span, self.name, *check, " else ", jump.span)
        if body is not None:
            yield self._at_end(body, raises, landings, leave)

    def _at_end(self, body: Node, raises: bool, landings: list[Landing], leave: str) -> Edit:
        """The poll behind a loop's body, which gets braces where it has none."""
        text = self.unit.text
        check = self._check(Span(body.end - 1, body.end), raises, landings, leave)
        if body.kind == K.COMPOUND_STMT:
            return Edit(body.end - 1, body.end - 1, (*check, " "), self.name)
        if body.kind == K.NULL_STMT:
            return replace(body.span, self.name, "{ ", *check, " }")
        end = body.end if text[body.end - 1] in "};" else text.index(";", body.end) + 1
        whole = Span(body.start, end)
        return replace(whole, self.name, "{ ", whole, " ", *check, " }")

    def _check(self, at: Span, raises: bool, landings: list[Landing], leave: str) -> list[Part]:
        budget = f"PORTER_STATE->{self.program.state[BUDGET].name}"
        steps = steps_to(covering(landings, at))
        action: list[Part] = ["{ ", *steps, leave, " }"] if steps else [leave]
        return [f"if (porter_poll({budget}, {str(raises).lower()})) ", *action]
