"""Draws on the poll budget in loops that nothing else bounds."""

from __future__ import annotations

from collections.abc import Iterator

from attrs import frozen

from porter.rewrite.edit import Edit, Part, replace
from porter.rewrite.landings import Landing, covering, find_landings, steps_to
from porter.rewrite.loopfacts import BUDGET
from porter.rewrite.loops import Loop, continues, loops_of
from porter.rewrite.polling import POINTER, Poll
from porter.rewrite.queries import callee, calls_pointer, leaving, symbol_key
from porter.rewrite.rule import Example, Rule, on_body
from porter.syntax.node import CursorKind as K
from porter.syntax.node import Node, TypeKind
from porter.syntax.span import Span


class Polls(Rule):
    """Looks at every back edge of an unbounded loop whether the program is to be interrupted."""

    name = "polls"
    example = Example(
        "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { }\n"
        "_Noreturn void g(void) { } void f(unsigned long n) { while (n--) { } }",
        "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { }\n"
        "_Noreturn void g(void) { } void f(unsigned long n) { while (n--) { "
        "if (porter_poll(PORTER_STATE->gpusnek_poll_budget, 1, false)) return; } }",
    )

    @on_body
    def function(self, function: Node, block: Node) -> Iterator[Edit]:
        """Writes the polls of the loops that the whole program says to poll."""
        polled = self.program.polls.get(symbol_key(self.unit.name, function.cursor))
        if not polled:
            return
        check = _Check(
            find_landings(block),
            leaving(function),
            f"PORTER_STATE->{self.program.state[BUDGET].name}",
        )
        for number, loop in enumerate(loops_of(block)):
            poll = polled.get(number)
            if poll is None:
                continue
            calls = list(self._calls(loop, poll))
            if calls and all(call.canonical.kind != TypeKind.RECORD for call in calls):
                for call in calls:
                    steps = check.at(call.span, poll)
                    yield replace(call.span, self.name, "({ ", *steps, " ", call.span, "; })")
            else:
                yield from self._at_edges(loop, poll, check)

    def _calls(self, loop: Loop, poll: Poll) -> Iterator[Node]:
        """The calls of a loop before which it polls."""
        for node in loop.nodes():
            if poll.before and node.kind == K.CALL_EXPR:
                target = callee(node)
                key = POINTER if calls_pointer(node) else ""
                if target is not None:
                    key = symbol_key(self.unit.name, target.referenced)
                if key in poll.before:
                    yield node

    def _at_edges(self, loop: Loop, poll: Poll, check: _Check) -> Iterator[Edit]:
        """The polls before a loop's jumps back, and behind its body."""
        body = loop.body
        jumps = [loop.node] if body is None else continues(body)
        for jump in jumps:
            steps = check.at(jump.span, poll)
            yield replace(jump.span, self.name, *steps, " else ", jump.span)
        if body is not None:
            yield self._at_end(body, check.at(Span(body.end - 1, body.end), poll))

    def _at_end(self, body: Node, check: list[Part]) -> Edit:
        """The poll behind a loop's body, which gets braces where it has none."""
        text = self.unit.text
        if body.kind == K.COMPOUND_STMT:
            return Edit(body.end - 1, body.end - 1, (*check, " "), self.name)
        if body.kind == K.NULL_STMT:
            return replace(body.span, self.name, "{ ", *check, " }")
        end = body.end if text[body.end - 1] in "};" else text.index(";", body.end) + 1
        whole = Span(body.start, end)
        return replace(whole, self.name, "{ ", whole, " ", *check, " }")


@frozen
class _Check:
    """What the polls of a function share: where an unwind lands, how it leaves, the budget."""

    landings: list[Landing]
    leave: str
    budget: str

    def at(self, place: Span, poll: Poll) -> list[Part]:
        """The poll as an if statement without an else."""
        steps = steps_to(covering(self.landings, place))
        action: list[Part] = ["{ ", *steps, self.leave, " }"] if steps else [self.leave]
        raises = "true" if poll.raises else "false"
        name = "porter_poll_timed" if poll.timed else "porter_poll"
        return [f"if ({name}({self.budget}, {poll.turns}, {raises})) ", *action]
