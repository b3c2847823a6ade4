"""Statements: declarations, loops, switches, jumps over declarations, handlers over setjmp."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from attrs import define, field

from porter.torture.choices import Choices
from porter.torture.expressions import ExpressionMaker, Mode
from porter.torture.initialisers import InitialiserMaker, Scalar, leaves
from porter.torture.scope import Object, Scope, is_plain
from porter.torture.types import (
    INT,
    KEYWORDS,
    NUMBERS,
    Array,
    Function,
    Number,
    ProgramTypes,
    Record,
    Text,
    Type,
    declare,
    pick_type,
)

_LOUD, _QUIET, _STABLE = Mode.LOUD, Mode.QUIET, Mode.STABLE


@define
class Block:
    """Where a statement stands."""

    scope: Scope
    names: set[str] = field(factory=set)  # declared in this very block
    outer: tuple[str, ...] = ()  # names of the blocks around it, which it may hide
    handlers: int = 0  # pushed around it, in this function
    loop_handlers: int = -1  # as many were pushed at the innermost loop; -1: no loop
    bounded: bool = False  # a jump leads past this point: no array of variable length


@define
class StatementMaker:
    """Draws the statements of one function.

    `sum` names the program's checksum; `handles` says that the function may have handlers, so
    that its locals are volatile; `leave` gives a return statement.
    """

    choices: Choices
    types: ProgramTypes
    sum: str
    handles: bool
    leave: Callable[[ExpressionMaker], str]
    bound: str  # the length of arrays of variable length, at least 2 and nothing that changes
    calls: tuple[str, ...] = ()  # functions that a static local may point at
    used: set[str] = field(factory=set)
    counter: int = 0

    def expressions(self, block: Block) -> ExpressionMaker:
        """Expressions over what the block sees."""
        return ExpressionMaker(self.choices, self.types, block.scope)

    def some(self, block: Block, depth: int, most: int = 4) -> str:
        """A few statements."""
        return "".join(self.one(block, depth) for _ in range(self.choices.between(1, most)))

    def inner(self, block: Block, depth: int, most: int = 3, **changes: int) -> str:
        """A block in braces."""
        below = Block(
            block.scope.copy(),
            set(),
            (*block.outer, *sorted(block.names)),
            changes.get("handlers", block.handlers),
            changes.get("loop_handlers", block.loop_handlers),
        )
        return "{\n" + self.some(below, depth - 1, most) + "}\n"

    def one(self, block: Block, depth: int) -> str:
        """One statement, or a few that belong together."""
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

    def name(self, block: Block) -> str:
        """A name for a local: a new one, a keyword of C++, or one that hides another."""
        c = self.choices
        if c.chance(8):
            name = c.pick(KEYWORDS)
            if name not in self.used:
                return self._taken(block, name)
        hidden = [name for name in block.outer if name not in block.names and name != "a"]
        if hidden and c.chance(8):
            return self._taken(block, c.pick(hidden))
        self.counter += 1
        return self._taken(block, f"v{self.counter}")

    def _taken(self, block: Block, name: str) -> str:
        self.used.add(name)
        block.names.add(name)
        block.scope.objects = [o for o in block.scope.objects if _base(o) != name]
        return name

    def _label(self) -> str:
        self.counter += 1
        return f"l{self.counter}"

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

    def _declare(self, block: Block, depth: int) -> str:
        c = self.choices
        name = self.name(block)
        e = self.expressions(block)
        shape = c.weighted([(50, "number"), (25, "record"), (15, "array"), (6, "text"), (4, "two")])
        if shape == "two":
            other = self.name(block)
            e = self.expressions(block)
            first, second = e.number(2, _LOUD), e.number(1, _STABLE)
            text = f"{self._volatile()}int {name} = {first}, {other} = {second};\n"
            self.add(block, name, INT)
            self.add(block, other, INT)
            return text
        kind: Type = c.pick(self.types.numbers)
        if shape == "record":
            kind = c.pick(self.types.records)
        elif shape == "array":
            kind = Array(pick_type(c, *self.types.numbers, *self.types.records), c.between(1, 4))
        elif shape == "text":
            kind = Text()
        if isinstance(kind, Number):
            const = c.chance(15)
            text = f"{declare(kind, name)} = {e.scalar(kind, 3, _LOUD)};\n"
            self.add(block, name, kind, constant=const)
            return ("const " if const else self._volatile()) + text
        const = self.handles or c.chance(20)
        lists = InitialiserMaker(c, lambda scalar: e.scalar(scalar, 1, _QUIET))
        plan = lists.plan(kind)
        text = f"{declare(kind, name)} = {lists.render(kind, plan)};\n"
        found = tuple(leaves(kind, plan))
        block.scope.objects.append(Object(name, kind, found, const, const or c.chance(50)))
        return ("const " if const and c.chance(50) and not isinstance(kind, Text) else "") + text

    def _volatile(self) -> str:
        return "volatile " if self.handles else ""

    def add(self, block: Block, name: str, kind: Number, constant: bool = False) -> None:
        """Lets the block use a local number. A volatile one's address is nobody's business."""
        stable = self.handles or constant or self.choices.chance(60)
        block.scope.objects.append(Object(name, kind, tuple(leaves(kind, "1")), constant, stable))

    def _static(self, block: Block, depth: int) -> str:
        c = self.choices
        name = self.name(block)
        kind = pick_type(c, *self.types.numbers, *self.types.records, Array(NUMBERS[1], 4))
        lists = InitialiserMaker(
            c, lambda scalar: constant(c, self.types, scalar, self.calls), ranges=True
        )
        plan = lists.plan(kind)
        const = c.chance(40)
        value = f" = {lists.render(kind, plan)}" if const or c.chance(70) else ""
        found = tuple(leaves(kind, plan if value else None))
        block.scope.objects.append(Object(name, kind, found, const))
        return f"static {'const ' if const else ''}{declare(kind, name)}{value};\n"

    def _local_type(self, block: Block, depth: int) -> str:
        """A struct that only this block knows, with a member that may be a keyword."""
        name, tag = self.name(block), self._label()
        member = self.choices.pick(["a", *KEYWORDS])
        e = self.expressions(block)
        first, second = e.number(2, _QUIET), e.number(1, _QUIET)
        found = (*leaves(INT, "1", f".{member}"), *leaves(NUMBERS[6], "1", ".b"))
        block.scope.objects.append(Object(name, Record("", ()), found, True, True))
        return (
            f"struct {tag} {{ int {member}; short b; }} {name} = "
            f"{{.b = {first}, .{member} = {second}}};\n"
        )

    def _variable_length(self, block: Block, depth: int) -> str:
        name, e = self.name(block), self.expressions(block)
        kind = self.choices.pick(["int", "unsigned char", "long"])
        text = f"{kind} {name}[{self.bound}];\n"
        values = [e.number(1, _QUIET) for _ in range(2)]
        text += "".join(f"{name}[{i}] = {value};\n" for i, value in enumerate(values))
        number = next(n for n in NUMBERS if n.name == kind)
        found = tuple(leaf for i in range(2) for leaf in leaves(number, "1", f"[{i}]"))
        # A pointer in C++: its own address is another thing there.
        block.scope.objects.append(Object(name, Record("", ()), found, self.handles))
        return text

    def _record(self, block: Block, depth: int) -> str:
        """A whole struct assigned: from another, from a literal, from a call."""
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
        """A return, a break or a continue, behind a condition."""
        c, e = self.choices, self.expressions(block)
        test = e.number(2, _LOUD)
        if block.loop_handlers == block.handlers and c.chance(60):
            return f"if ({test}) {c.pick(['break', 'continue'])};\n"
        pops = "POP(); " * block.handlers
        return f"if ({test}) {{ {pops}{self.leave(e)} }}\n"

    def _region(self, block: Block, depth: int) -> str:
        """Statements of one block that a jump may pass: what they declare is not used on."""
        before, was = list(block.scope.objects), block.bounded
        block.bounded = True
        text = self.some(block, depth - 1, 3)
        # What a name hid is not known to be hidden still, so hidden names stay away.
        now = {_base(o) for o in block.scope.objects}
        block.scope.objects = [o for o in before if _base(o) in now and o in block.scope.objects]
        block.bounded = was
        return text

    def _forward(self, block: Block, depth: int) -> str:
        label = self._label()
        test = self.expressions(block).number(2, _LOUD)
        return f"if ({test}) goto {label};\n{self._region(block, depth)}{label}:;\n"

    def _backward(self, block: Block, depth: int) -> str:
        label, n = self._label(), self._label()
        head = f"{self._volatile()}int {n} = 0;\n{label}:;\n"
        below = Block(
            block.scope.copy(), set(), (*block.outer, *block.names), block.handlers,
            block.loop_handlers,
        )  # fmt: skip
        region = self._region(below, depth)
        return f"{{\n{head}{region}if (++{n} < 3) goto {label};\n}}\n"

    def _into_loop(self, block: Block, depth: int) -> str:
        label, i = self._label(), self._label()
        e = self.expressions(block)
        below = Block(
            block.scope.copy(), set(), (*block.outer, *block.names), block.handlers,
            block.handlers,
        )  # fmt: skip
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
        below = Block(
            block.scope.copy(), set(), (*block.outer, *block.names), block.handlers, -1,
        )  # fmt: skip
        below.loop_handlers = -1  # a break would leave the switch: `_leave` says when
        text = f"switch ({value} & 7) {{\n"
        labels = ["case 0:;", "case 1:;", "case 2: case 3:;", "case 4 ... 6:;", "default:;"]
        for label in c.shuffled(labels)[: c.between(2, 5)]:
            text += label + "\n" + self._region(below, depth)
            text += "break;\n" if c.chance(60) else ""
        return text + "}\n"

    def _interleaved(self, block: Block, depth: int) -> str:
        """A loop that a switch jumps into."""
        n = self._label()
        value = self.expressions(block).number(2, _LOUD)
        below = Block(
            block.scope.copy(), set(), (*block.outer, *block.names), block.handlers, -1,
        )  # fmt: skip
        parts = [self._region(below, depth) for _ in range(3)]
        return (
            f"{{\n{self._volatile()}int {n} = 2;\nswitch ({value} & 3) {{\n"
            f"case 0: do {{\n{parts[0]}case 1:;\n{parts[1]}default:;\n{parts[2]}"
            f"}} while (--{n} > 0);\n}}\n}}\n"
        )

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


def _base(thing: Object) -> str:
    """The name that an object's text begins with."""
    return thing.name.strip("(*)").partition("->")[0]


def constant(c: Choices, types: ProgramTypes, kind: Scalar, calls: Sequence[str]) -> str:
    """A constant expression for a scalar of static storage, which C may have to convert."""
    if isinstance(kind, Text):
        return c.pick(['"text"', '"x" "y"', r'"\xff\0z"', '(const char *)"c"', '(void *)"v"'])
    if isinstance(kind, Function):
        return c.pick(["0", "NULL", "(void *)0", *calls, *(f"&{name}" for name in calls)])
    assert isinstance(kind, Number)
    if kind.floating:
        return c.pick(["1.5", "-0.25f", "3", "1e3", "0x1p-3", "1.0 / 3"])
    if kind.enumerators and c.chance(70):
        return c.pick(kind.enumerators)
    literal = str(c.between(0, kind.high)) if c.chance(50) else str(c.between(kind.low, kind.high))
    enums = [n.enumerators[0] for n in types.numbers if n.enumerators]
    odd = ["-1", "300", "'x'", "1 << 3", "sizeof(int)", "!0", "2.5", "~0u", "70000", *enums]
    return literal if c.chance(60) else c.pick(odd)
