"""Draw the functions of a generated program: heads, statements and jumps.

The fuel counter bounds every body. Jumps are loops, switches, handlers over setjmp, and `goto` past
declarations and into loops.
"""

from __future__ import annotations

from attrs import define, frozen

from porter_dev.torture.c_types import (
    DOUBLE,
    INT,
    LONG,
    Number,
    ProgramTypes,
    Record,
    Text,
    Type,
    declare,
    pick_type,
)
from porter_dev.torture.choices import Choices
from porter_dev.torture.declarations import Block, BlockMaker, DeclarationMaker, base_name
from porter_dev.torture.expressions import ExpressionMaker, Mode, is_call
from porter_dev.torture.initialisers import leaves
from porter_dev.torture.scope import Object, Pointer, Routine, Scope, is_plain


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


@frozen
class Head:
    """The head of a function.

    Attributes:
        routine: Name, result and parameter types.
        parameters: Names of the parameters.
        unit: Unit of the definition, 0 or 1.
        static: Whether only that unit sees the function.
    """

    routine: Routine
    parameters: tuple[str, ...]
    unit: int
    static: bool

    @property
    def text(self) -> str:
        """The declaration, without the semicolon."""
        kinds = []
        for kind, name in zip(self.routine.parameters, self.parameters, strict=True):
            if isinstance(kind, Pointer):
                const = "const " if kind.constant else ""
                kinds.append(
                    const + ("void *" + name if kind.void else declare(kind.to, "*" + name))
                )
            else:
                kinds.append(declare(kind, name))
        dots = ", ..." if self.routine.variadic else ""
        result = self.routine.result
        named = f"{self.routine.name}({', '.join(kinds)}{dots})"
        storage = "static " if self.static else ""
        return storage + (f"void {named}" if result is None else declare(result, named))


def draw_head(c: Choices, types: ProgramTypes, number: int) -> Head:
    """Draw the head of function `number`. The first two functions fit into function tables."""
    name = f"{types.prefix}f{number}"
    unit, static = c.pick([0, 0, 1]), c.chance(60)
    if number < 2:
        return Head(Routine(name, INT, (INT,)), ("a",), 0, static)
    if c.chance(12):
        return Head(Routine(name, LONG, (INT,), variadic=True), ("a",), unit, static)
    plain = [r for r in types.records if is_plain(r)]
    fixed = [r for r in types.records if r.fixed]
    result: Type | None = c.weighted([(50, INT), (10, None), (10, DOUBLE), (5, Text()), (25, LONG)])
    if result == LONG:
        result = pick_type(c, *types.numbers, *fixed)
    kinds: list[Type | Pointer] = [INT]
    names = ["a"]
    for at in range(c.below(3)):
        names.append(f"p{at}")
        form = c.below(3)
        if form == 1 and fixed:
            to = c.pick(fixed)
            kinds.append(Pointer(to, c.chance(50) or not is_plain(to), c.chance(30)))
        elif form == 2 and plain:
            kinds.append(c.pick(plain))
        elif form == 2:
            kinds.append(Pointer(c.pick(types.numbers), c.chance(50), c.chance(30)))
        else:
            kinds.append(c.pick(types.numbers))
    return Head(Routine(name, result, tuple(kinds)), tuple(names), unit, static)


def draw_body(c: Choices, types: ProgramTypes, head: Head, scope: Scope) -> str:
    """Draw the function's definition."""
    scope = scope.copy()
    handles = c.chance(35)
    routine = head.routine
    start = ""
    parameters = zip(routine.parameters, head.parameters, strict=True)
    for kind, name in list(parameters):
        if isinstance(kind, Pointer):
            place = f"(*{name})"
            if kind.void:
                place = f"(*q{name})"
                const = "const " if kind.constant else ""
                start += f"{const}{declare(kind.to, f'*q{name}')} = {name};\n"
            found = tuple(leaves(kind.to, None if isinstance(kind.to, Record) else "1"))
            scope.objects.append(Object(place, kind.to, found, kind.constant))
        else:
            found = tuple(leaves(kind, None if isinstance(kind, Record) else "1"))
            fixed = name == "a" or handles
            scope.objects.append(Object(name, kind, found, fixed, True))

    def leave(e: ExpressionMaker) -> str:
        return "return;" if routine.result is None else f"return {result(e, routine.result)};"

    fuel, total = f"{types.prefix}fuel", f"{types.prefix}sum"
    bound = c.pick(["(a & 3) + 2", "3 + !a"])
    calls = tuple(r.name for r in scope.routines if is_call(r))
    statements = StatementMaker(c, types, total, handles, leave, bound, calls)
    statements.used.update(head.parameters)
    block = Block(scope, set(head.parameters))
    body = start + f"if ({fuel}-- <= 0) {{ {leave(ExpressionMaker(c, types, Scope()))} }}\n"
    if routine.variadic:
        body += _variadic(c, total)
    body += statements.some(block, 3, 6)
    end = "" if routine.result is None else leave(ExpressionMaker(c, types, block.scope)) + "\n"
    return f"{head.text} {{\n{body}{end}}}\n"


def result(e: ExpressionMaker, kind: Type) -> str:
    """Draw an expression that a function may return."""
    if isinstance(kind, Record):
        return e.argument(kind, 1, Mode.QUIET)
    assert isinstance(kind, Number | Text)
    return e.scalar(kind, 2, Mode.LOUD if isinstance(kind, Number) else Mode.QUIET)


def _variadic(c: Choices, total: str) -> str:
    """Return code that reads the arguments of `ExpressionMaker.call`: ints, a double, a string."""
    read = f"mix(&{total}, va_arg(list, int));"
    if c.chance(40):
        read = f"int n_ = va_arg(list, int); mix(&{total}, n_);"
    copied = (
        ("va_list other; va_copy(other, list);\n", "va_end(other);\n") if c.chance(30) else ("", "")
    )
    return (
        f"va_list list;\nva_start(list, a);\n{copied[0]}"
        f"for (int i_ = 0; i_ < a; i_++) {{ {read} }}\n"
        f"mix_double(&{total}, va_arg(list, double));\n"
        f"mix_text(&{total}, va_arg(list, const char *), 4);\n{copied[1]}va_end(list);\n"
    )
