"""Generate programs: two units and a header, deterministic, without undefined behaviour."""

from __future__ import annotations

from attrs import frozen

from porter_dev.torture.c_types import KEYWORDS, Function, Number, ProgramTypes, Text, define_types
from porter_dev.torture.choices import Choices
from porter_dev.torture.expressions import ExpressionMaker, Mode, is_call
from porter_dev.torture.functions import draw_body, draw_head
from porter_dev.torture.globals import Globals
from porter_dev.torture.initialisers import Leaf
from porter_dev.torture.scope import Object, Scope

_FUEL = 150  # calls of the program's functions allowed per call from the entry function
_WORDS = 2  # C++ keywords per program that file-scope tags may use


@frozen
class CProgram:
    """The text of a program.

    Attributes:
        name: Name, a prefix of all its global names, so that programs can share units.
        header: Text that both units begin with.
        units: Text of the two units.
        choices: Decisions that the program was made of.
    """

    name: str
    header: str
    units: tuple[str, str]
    choices: tuple[int, ...]

    @property
    def size(self) -> int:
        """Length of the text, in characters."""
        return len(self.header) + sum(map(len, self.units))

    @property
    def entry(self) -> str:
        """Name of the function that runs the program and prints its checksums."""
        return f"{self.name}_run"


def generate(index: int, choices: Choices) -> CProgram:
    """Generate the program that `choices` make.

    Programs with neighbouring indices can share units, at most len(KEYWORDS) / 2 of them: each gets
    its own part of the C++ keywords for its tags.

    Args:
        index: Number of the program in its batch.
        choices: Source of decisions.
    """
    name = f"p{index}"
    prefix = f"{name}_"
    words = [KEYWORDS[(_WORDS * index + i) % len(KEYWORDS)] for i in range(_WORDS)]
    types = define_types(choices, prefix, words)
    heads = [draw_head(choices, types, number) for number in range(choices.between(2, 6))]
    callable_heads = [h for h in heads if is_call(h.routine)]
    variables = Globals(
        choices,
        types,
        (
            tuple(h.routine.name for h in callable_heads if h.unit == 0 or not h.static),
            tuple(h.routine.name for h in callable_heads if not h.static),
        ),
    )
    variables.draw()
    header = types.text
    header += f"extern unsigned long {prefix}sum;\nextern int {prefix}fuel;\n" + variables.first
    bodies = ["", ""]
    tops = ["", ""]
    for head in heads:
        if head.static:
            tops[head.unit] += head.text + ";\n"
        else:
            header += head.text + ";\n"
    scopes = []
    for unit in (0, 1):
        routines = [h.routine for h in heads if h.unit == unit or not h.static]
        scopes.append(Scope(list(variables.objects[unit]), routines))
    for head in heads:
        bodies[head.unit] += draw_body(choices, types, head, scopes[head.unit])
    last = _show(choices, types, scopes[1], f"{prefix}show")
    header += f"void {prefix}show(void);\n"
    first = f"unsigned long {prefix}sum = 1;\nint {prefix}fuel;\n"
    units = (
        tops[0] + variables.top[0] + first + bodies[0] + _run(choices, types, scopes[0], name)
        + variables.bottom[0],
        tops[1] + variables.top[1] + bodies[1] + last + variables.bottom[1],
    )  # fmt: skip
    return CProgram(name, header, units, tuple(choices.taken))


def _show(c: Choices, types: ProgramTypes, scope: Scope, name: str) -> str:
    """Return a function that mixes all readable scalars of a unit into the checksum."""
    lines = []
    for thing, leaf in scope.readable(stable=False):
        lines.append(_mixed(f"{types.prefix}sum", thing, leaf))
    return f"void {name}(void) {{\n{''.join(lines)}}}\n"


def _mixed(total: str, thing: Object, leaf: Leaf) -> str:
    text = thing.name + leaf.path
    if isinstance(leaf.type, Text):
        return f"mix_text(&{total}, {text}, 8);\n" if leaf.set else f"mix(&{total}, {text} == 0);\n"
    if isinstance(leaf.type, Function):
        return f"mix(&{total}, {text} == 0);\n"
    assert isinstance(leaf.type, Number)
    mix = "mix_double" if leaf.type.floating else "mix"
    return f"{mix}(&{total}, {text});\n"


def _run(c: Choices, types: ProgramTypes, scope: Scope, name: str) -> str:
    """Return the entry function: it shows all variables before and after calling each function."""
    total, fuel = f"{types.prefix}sum", f"{types.prefix}fuel"
    show = f'{name}_show();\n{name}_show0();\nput("{name} %s", {total});\n'
    text = _show(c, types, scope, f"static {name}_show0").replace("void static", "static void")
    text += f"void {name}_run(void) {{\n" + show.replace("%s", "start")
    for routine in scope.routines:
        call = ExpressionMaker(c, types, scope).call(routine, 2, Mode.LOUD)
        text += (
            f"{{\nhandler_t h;\n{fuel} = {_FUEL};\nif (PUSH(&h) == 0) {{\n{call};\nPOP();\n}} "
            f"else {{\nmix(&{total}, h.value);\n}}\n}}\n"
            f'put("{name} {routine.name}", {total});\n'
        )
    return text + show.replace("%s", "end") + "}\n"
