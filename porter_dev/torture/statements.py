"""Draw the statements of a generated function: dispatch, assignments, calls, branches."""

from __future__ import annotations

from attrs import define

from porter_dev.torture.blocks import Block
from porter_dev.torture.declarations import DeclarationMaker
from porter_dev.torture.expressions import Mode
from porter_dev.torture.jumps import JumpMaker
from porter_dev.torture.scope import is_plain
from porter_dev.torture.types import Number, Record

_LOUD, _QUIET = Mode.LOUD, Mode.QUIET


@define
class StatementMaker(DeclarationMaker, JumpMaker):
    """A generator of the statements of one function; combines all statement generators."""

    def one(self, block: Block, depth: int) -> str:
        """Draw a statement, or several that belong together."""
        makers = [(14, self._mix), (16, self._declare), (16, self._assign), (6, self._record)]
        makers += [(5, self._static), (3, self._call), (3, self._local_type)]
        if not block.bounded:
            makers.append((4, self._variable_length))
        if depth > 0:
            makers += [(10, self._if), (7, self._loop), (6, self._switch), (8, self._forward)]
            makers += [(3, self._backward), (3, self._into_loop), (2, self._interleaved)]
            makers += [(3, self._plain_block), (4, self._leave)]
            if self.handles and block.handlers < 2:
                makers.append((14, self._handler))
        return self.choices.weighted(makers)(block, depth)

    def _mix(self, block: Block, depth: int) -> str:
        e = self.expressions(block)
        if self.choices.chance(15):
            return f"mix_double(&{self.sum}, {e.double(2, _LOUD)});\n"
        if self.choices.chance(8):
            items = ", ".join(e.number(1, _QUIET) for _ in range(3))
            return f"mix_text(&{self.sum}, (char[]){{{items}}}, 3);\n"
        return f"mix(&{self.sum}, {e.number(3, _LOUD)});\n"

    def _assign(self, block: Block, depth: int) -> str:
        c, e = self.choices, self.expressions(block)
        found = block.scope.writable()
        if not found:
            return self._mix(block, depth)
        thing, leaf = c.pick(found)
        place = thing.name + leaf.path
        assert isinstance(leaf.type, Number)
        form = c.below(6)
        if form == 0 or leaf.type.floating:
            return f"{place} = {e.scalar(leaf.type, 3, _LOUD)};\n"
        if form in (1, 2) and leaf.type.name != "_Bool":
            return c.pick([f"{place}++;\n", f"--{place};\n", f"++{place};\n", f"{place}--;\n"])
        operator = c.pick(["+=", "|=", "^=", "-=", "&=", "*="])
        value = e.number(2, _LOUD if thing.stable else _QUIET)
        return f"{place} {operator} {value};\n"

    def _record(self, block: Block, depth: int) -> str:
        """Draw the assignment of a whole struct, from another object, a literal or a call."""
        c, e = self.choices, self.expressions(block)
        found = [
            o
            for o in block.scope.objects
            if isinstance(o.type, Record) and o.type.name and is_plain(o.type) and not o.constant
        ]
        if not found:
            return self._declare(block, depth)
        thing = c.pick(found)
        calls = [r for r in block.scope.routines if r.result == thing.type]
        others = [o.name for o in block.scope.objects if o.type == thing.type]
        form = c.below(3)
        if form == 0 and calls:
            return f"{thing.name} = {e.call(c.pick(calls), 1, _LOUD)};\n"
        if form == 1:
            return f"{thing.name} = {e.number(1, _LOUD)} ? {c.pick(others)} : {c.pick(others)};\n"
        assert isinstance(thing.type, Record)
        return f"{thing.name} = {e.literal(thing.type, 1, _QUIET)[1]};\n"

    def _call(self, block: Block, depth: int) -> str:
        found = block.scope.routines
        if not found:
            return self._mix(block, depth)
        e = self.expressions(block)
        text = e.call(self.choices.pick(found), 2, _LOUD)
        return f"(void){text};\n" if self.choices.chance(20) else f"{text};\n"

    def _if(self, block: Block, depth: int) -> str:
        test = self.expressions(block).number(3, _LOUD)
        text = f"if ({test}) {self.inner(block, depth)}"
        return text + (f"else {self.inner(block, depth)}" if self.choices.chance(40) else "")

    def _plain_block(self, block: Block, depth: int) -> str:
        return self.inner(block, depth)
