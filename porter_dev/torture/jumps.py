"""Draw jumps: loops, switches, `goto` past declarations and into loops, handlers over setjmp."""

from __future__ import annotations

from attrs import define

from porter_dev.torture.blocks import Block, BlockMaker, base_name
from porter_dev.torture.expressions import Mode

_LOUD = Mode.LOUD


@define
class JumpMaker(BlockMaker):
    """A generator of statements that transfer control; a base of StatementMaker."""

    def _region(self, block: Block, depth: int) -> str:
        """Draw statements that a jump may pass; later code does not use their declarations."""
        before, was = list(block.scope.objects), block.bounded
        block.bounded = True
        text = self.some(block, depth - 1, 3)
        # A jump may pass the declaration that hides an outer name, so hidden names become unusable.
        now = {base_name(o) for o in block.scope.objects}
        block.scope.objects = [
            o for o in before if base_name(o) in now and o in block.scope.objects
        ]
        block.bounded = was
        return text

    def _forward(self, block: Block, depth: int) -> str:
        label = self._label()
        test = self.expressions(block).number(2, _LOUD)
        return f"if ({test}) goto {label};\n{self._region(block, depth)}{label}:;\n"

    def _backward(self, block: Block, depth: int) -> str:
        label, n = self._label(), self._label()
        head = f"{self._volatile()}int {n} = 0;\n{label}:;\n"
        below = block.below()
        region = self._region(below, depth)
        return f"{{\n{head}{region}if (++{n} < 3) goto {label};\n}}\n"

    def _into_loop(self, block: Block, depth: int) -> str:
        label, i = self._label(), self._label()
        e = self.expressions(block)
        below = block.below(loop_handlers=block.handlers)
        test = e.number(2, _LOUD)
        first = self._region(below, depth)
        second = self.some(below, depth - 1, 2)
        return (
            f"{{\n{self._volatile()}int {i} = 0;\nif ({test}) goto {label};\n"
            f"for (; {i} < 3; {i}++) {{\n{first}{label}:;\n{second}}}\n}}\n"
        )

    def _switch(self, block: Block, depth: int) -> str:
        c = self.choices
        value = self.expressions(block).number(3, _LOUD)
        below = block.below(loop_handlers=-1)  # a break would leave the switch
        text = f"switch ({value} & 7) {{\n"
        labels = ["case 0:;", "case 1:;", "case 2: case 3:;", "case 4 ... 6:;", "default:;"]
        for label in c.shuffled(labels)[: c.between(2, 5)]:
            text += label + "\n" + self._region(below, depth)
            text += "break;\n" if c.chance(60) else ""
        return text + "}\n"

    def _interleaved(self, block: Block, depth: int) -> str:
        """Draw a loop with a switch that jumps into it (Duff's device)."""
        n = self._label()
        value = self.expressions(block).number(2, _LOUD)
        below = block.below(loop_handlers=-1)
        parts = [self._region(below, depth) for _ in range(3)]
        return (
            f"{{\n{self._volatile()}int {n} = 2;\nswitch ({value} & 3) {{\n"
            f"case 0: do {{\n{parts[0]}case 1:;\n{parts[1]}default:;\n{parts[2]}"
            f"}} while (--{n} > 0);\n}}\n}}\n"
        )

    def _loop(self, block: Block, depth: int) -> str:
        c = self.choices
        i, count = self._label(), c.between(1, 3)
        body = self.inner(block, depth, loop_handlers=block.handlers)
        volatile = self._volatile()
        form = c.below(3)
        if form == 0:
            return f"for ({volatile}int {i} = 0; {i} < {count}; {i}++) {body}"
        test = f"{i}-- > 0"
        if c.chance(40):
            test += f" && {self.expressions(block).number(2, _LOUD)}"
        head = f"{volatile}int {i} = {count};\n"
        if form == 1:
            return f"{{\n{head}while ({test}) {body}}}\n"
        return f"{{\n{head}do {body.rstrip()} while ({test});\n}}\n"

    def _leave(self, block: Block, depth: int) -> str:
        """Draw a conditional return, break or continue."""
        c, e = self.choices, self.expressions(block)
        test = e.number(2, _LOUD)
        if block.loop_handlers == block.handlers and c.chance(60):
            return f"if ({test}) {c.pick(['break', 'continue'])};\n"
        pops = "POP(); " * block.handlers
        return f"if ({test}) {{ {pops}{self.leave(e)} }}\n"

    def _handler(self, block: Block, depth: int) -> str:
        c = self.choices
        h = self._label()
        body = self.inner(block, depth, 4, handlers=block.handlers + 1)
        body = body.rstrip()[:-1] + "POP();\n}\n"
        caught = f"mix(&{self.sum}, {h}.value);\n"
        other = "{\n" + caught + self.inner(block, depth)[2:]
        form = c.below(5)
        head = f"handler_t {h};\n"
        if form == 0:
            return f"{{\n{head}if (PUSH(&{h}) == 0) {body}else {other}}}\n"
        if form == 1:
            return f"{{\n{head}if (!PUSH(&{h})) {body}}}\n"
        if form == 2:
            return f"{{\n{head}if (PUSH(&{h})) {other}else {body}}}\n"
        if form == 3:
            code = self._label()
            return f"{{\n{head}int {code} = PUSH(&{h});\nif ({code} == 0) {body}else {other}}}\n"
        return (
            f"{{\n{head}switch (PUSH(&{h})) {{\ncase 0: {body}break;\n"
            f"case 3: {caught}break;\ndefault: {other}}}\n}}\n"
        )
