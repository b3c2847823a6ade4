"""Draw variables with static storage: plain and tentative ones, pointers, cycles of pointers."""

from __future__ import annotations

from attrs import define, field

from porter_dev.torture.c_types import (
    INT,
    KEYWORDS,
    NUMBERS,
    Array,
    ProgramTypes,
    Text,
    Type,
    declare,
    pick_type,
)
from porter_dev.torture.choices import Choices
from porter_dev.torture.declarations import constant
from porter_dev.torture.initialisers import InitialiserMaker, Leaf, leaves
from porter_dev.torture.scope import Object


@define
class Globals:
    """The variables of a program.

    Attributes:
        choices: Source of decisions.
        types: Types of the program.
        calls: By unit, functions that variables may point to.
        first: Text for the shared header.
        top: By unit, text before the functions.
        bottom: By unit, text after the functions.
        objects: By unit, the objects that it sees.
    """

    choices: Choices
    types: ProgramTypes
    calls: tuple[tuple[str, ...], tuple[str, ...]]
    first: str = ""
    top: list[str] = field(factory=lambda: ["", ""])
    bottom: list[str] = field(factory=lambda: ["", ""])
    objects: tuple[list[Object], list[Object]] = field(factory=lambda: ([], []))

    def draw(self) -> None:
        """Draw all variables."""
        c = self.choices
        self._table()
        for number in range(c.between(1, 6)):
            self._variable(f"{self.types.prefix}g{number}")
        if c.chance(50):
            self._circle()
        if c.chance(25):
            self._flexible()
        if c.chance(30):
            self._pointers()
        if c.chance(25):
            self._by_enumerator()

    def _add(self, unit: int, static: bool, thing: Object) -> None:
        for at in (unit,) if static else (0, 1):
            self.objects[at].append(thing)

    def _table(self) -> None:
        name, calls = f"{self.types.prefix}table", self.calls[0]
        const = self.choices.pick(["const ", ""])
        items = ", ".join(self.choices.pick([*calls, f"&{calls[0]}"]) for _ in range(4))
        self.first += f"extern int (*{const}{name}[4])(int);\n"
        self.bottom[0] += f"int (*{const}{name}[4])(int) = {{{items}}};\n"

    def _variable(self, name: str) -> None:
        c, types = self.choices, self.types
        unit, static, const = c.below(2), c.chance(60), c.chance(45)
        kind: Type = pick_type(c, *types.records, *types.numbers, Text())
        if c.chance(25):
            kind = Array(pick_type(c, NUMBERS[1], *types.records, *types.numbers), c.between(1, 5))
        lists = InitialiserMaker(
            c, lambda scalar: constant(c, types, scalar, self.calls[unit]), ranges=True
        )
        plan = lists.plan(kind)
        given = const or c.chance(75)
        value = f" = {lists.render(kind, plan)}" if given else ""
        head = "const " if const and not isinstance(kind, Text) else ""
        constant_object = const or isinstance(kind, Text)
        head += declare(kind, name)
        found = tuple(leaves(kind, plan if given else None))
        self._add(unit, static, Object(name, kind, found, constant_object))
        tentative = c.chance(30)
        storage = "static " if static else ""
        if not static:
            self.first += f"extern {head};\n"
        if tentative:
            self.top[unit] += f"{storage}{head};\n"
        place = self.bottom if tentative or (not static and c.chance(50)) else self.top
        if value or not tentative:
            place[unit] += f"{storage}{head}{value};\n"

    def _circle(self) -> None:
        """Draw constants that point to each other and to themselves."""
        c, p = self.choices, self.types.prefix
        next_name = c.pick(["next", "this", "new"])
        tag = f"struct {p}node"
        counter = c.chance(40)
        self.first += (
            f"{tag} {{ int value; const {tag} *{next_name}; const void *any; long *at; }};\n"
        )
        unit, static, count = c.below(2), c.chance(50), c.between(1, 3)
        storage = "static " if static else ""
        if counter:
            self.top[unit] += f"static long {p}counter = 7;\n"
        for i in range(count):
            line = f"const {tag} {p}n{i};\n"
            if static:
                self.top[unit] += "static " + line
            else:
                self.first += "extern " + line
            target = f"&{p}n{c.pick([(i + 1) % count, i])}"
            items = [f".value = {i + 3}", f".{next_name} = {target}"]
            if c.chance(50):
                items.append(f".any = {c.pick([f'&{p}n{i}', target, f'(void *)&{p}n0'])}")
            if counter and c.chance(50):
                items.append(f".at = &{p}counter")
            text = ", ".join(c.shuffled(items))
            self.bottom[unit] += f"{storage}const {tag} {p}n{i} = {{{text}}};\n"
            paths = (".value", f".{next_name}->value", f".{next_name}->{next_name}->value")
            found = [Leaf(path, INT, 0, True) for path in paths]
            self._add(unit, static, Object(f"{p}n{i}", INT, tuple(found[1:] + found[:1]), True))

    def _flexible(self) -> None:
        c, p = self.choices, self.types.prefix
        count = c.between(1, 4)  # the object is constant: rules know no size of a mutable one
        unit = c.below(2)
        values = ", ".join(str(c.below(90)) for _ in range(count))
        kind = c.pick(["int", "unsigned char", "short"])
        designated = c.chance(50)
        text = f".tail = {{{values}}}, .n = {count}" if designated else f"{count}, {{{values}}}"
        tag = f"struct {p}flexible"
        self.first += f"{tag} {{ int n; {kind} tail[]; }};\n"
        self.top[unit] += f"static const {tag} {p}fl = {{{text}}};\n"
        number = next(n for n in NUMBERS if n.name == kind)
        found = [Leaf(f".tail[{i}]", number, 0, True) for i in range(count)]
        found.append(Leaf(".n", INT, 0, True))
        self._add(unit, True, Object(f"{p}fl", INT, tuple(found), True))

    def _pointers(self) -> None:
        """Draw pointers to parts of other variables, constant or not."""
        c, p = self.choices, self.types.prefix
        self.top[0] += f"static int {p}t0[3] = {{4, 5, 6}};\nstatic const int {p}t1[] = {{7, 8}};\n"
        forms = [
            (f"static int *const {p}p0 = &{p}t0[1];\n", f"{p}p0", False),
            (f"static int *{p}p0 = {p}t0 + 1;\n", f"{p}p0", False),
            (f"static const int *{p}p0 = {p}t1;\n", f"{p}p0", True),
            (f"static const int *const {p}p0[2] = {{{p}t1, &{p}t1[1]}};\n", f"{p}p0[1]", True),
            (f"static void *const {p}p0 = {p}t0;\n", f"((int *){p}p0)", False),
            (f"static const void *{p}p0 = &{p}t1;\n", f"((const int *){p}p0)", True),
            (f"static int (*const {p}p0)[3] = &{p}t0;\n", f"(*{p}p0)", False),
        ]
        text, name, const = c.pick(forms)
        self.top[0] += text
        found = (Leaf("[0]", INT, 0, True),)
        self._add(0, True, Object(name, Array(INT, 1), found, const))

    def _by_enumerator(self) -> None:
        """Draw a table with enumerators as designators."""
        c, p = self.choices, self.types.prefix
        names = [f"{p}E{i}" for i in range(4)]
        self.first += f"enum {{ {', '.join(names)}, {p}Ecount }};\n"
        items = [f'[{name}] = "{name[-2:]}"' for name in names]
        items = c.shuffled(items)[: c.between(2, 4)]
        keyword = c.pick(KEYWORDS)
        self.top[1] += f"static const char *const {p}names[{p}Ecount] = {{{', '.join(items)}}};\n"
        self.top[1] += f'static const struct {{ char {keyword}[2]; }} {p}w = {{"ab"}};\n'
        at = items[0][1:].partition("]")[0]
        found = (Leaf(f"[{at}]", Text(), 0, True),)
        self._add(1, True, Object(f"{p}names", Array(Text(), 4), found, True))
        word = tuple(Leaf(f".{keyword}[{i}]", NUMBERS[1], 0, True) for i in range(2))
        self._add(1, True, Object(f"{p}w", INT, word, True))
