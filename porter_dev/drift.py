"""Generate variants of a release's sources that imitate future upstream releases.

A synced source tree and the patch series enter; the texts of changed and new files leave. Each
variant has one kind of change, made to the functions and lines that hunks are anchored in. A
variant is valid C and behaves like the release. The campaign `drift` applies the patches to
variants and checks the result (tests/patches/test_drift.py). This module does not apply patches,
except to find the place of a hunk in the release.

    python -m porter_dev.drift RELEASE KIND SEED     # a unified diff of one variant
"""

from __future__ import annotations

import difflib
import functools
import random
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from attrs import field, frozen

from porter.base import paths
from porter.base.c_text import COMMENT
from porter.errors import PatchDrift
from porter.patches import load_series
from porter.patches.anchors import find_places
from porter.patches.application import chosen
from porter.patches.patch import Hunk
from porter.sync.store import release_dir
from porter.sync.trees import hashed_files

WINDOW = 4  # lines on each side of a hunk's place that count as its neighbourhood
MAX_JOINED = 3  # line breaks that one variant removes
MARK = 170_000  # unique numbers start here; upstream's texts contain none of them

_FUNCTION = re.compile(
    r"^(?!typedef|struct|enum|union|extern)(?P<head>[A-Za-z_][^;{}#=]*\))[ \n]*\{.*?\n\}\n",
    re.M | re.S,
)
_NAME = re.compile(r"(\w+)(?:\s*\))?\s*\((?:[^()]|\([^()]*\))*\)\s*\Z")
_DECLARATION = re.compile(
    r"^(?P<indent> +)(?P<type>(?:const |unsigned |struct |volatile )*[a-z_]\w* (?:const )?\**)"
    r"(?P<name>[a-z_]\w*)(?P<array>\[[^\]]*\])?(?: = (?P<value>[^;]*))?;\s*$"
)
_NO_TYPE = re.compile(r"\s*(?:return|goto|else|case|typedef|extern|static|break|continue|do)\b")
_STATEMENT = re.compile(r"^ +(?:[a-z]\w*\(.*\)|\*?[a-z][\w.>\-\[\]]* [-+|&^]?= .*);\s*$")
_DIRECTIVE = re.compile(r"\s*#\s*(\w+)")


@frozen
class EditPlace:
    """The place of one hunk in a release: the range of offsets that it replaces or inserts at."""

    patch: str
    hunk: Hunk
    start: int
    end: int


@frozen
class UpstreamFunction:
    """A definition in column 0: its name, its head without the brace, and its offsets."""

    name: str
    head: str
    start: int
    end: int


@frozen
class SourceEdit:
    """The result of one change.

    Attributes:
        texts: The texts of changed and new files.
        description: The change, with file and function.
        undo: Pairs of a regular expression and a replacement, over code without comments, that
            remove the change from a text; None if there are no such pairs.
        renamed: The old and the new name, of a rename.
    """

    texts: dict[str, str]
    description: str
    undo: tuple[tuple[str, str], ...] | None = None
    renamed: tuple[str, str] | None = None


@frozen
class Variant:
    """A variant of a release: its kind, its seed, the patch that it is aimed at, its edit."""

    kind: str
    seed: int
    patch: str
    edit: SourceEdit

    def write(self, tree: Path) -> None:
        """Write the changed and new files into a tree."""
        for file, text in self.edit.texts.items():
            (tree / file).parent.mkdir(parents=True, exist_ok=True)
            (tree / file).write_text(text, encoding="utf-8")


@frozen(eq=False)
class Release:
    """A source tree with the places of the hunks that apply to it.

    Attributes:
        root: The tree. It is only read.
        texts: The C sources and headers that porter hashes, by path.
        places: The places of all hunks that are found in the unpatched text.
        reserved: Identifiers that porter and its port use, which no variant renames.
    """

    root: Path
    texts: Mapping[str, str] = field(repr=False)
    places: tuple[EditPlace, ...] = field(repr=False)
    reserved: frozenset[str] = field(repr=False)


def read_release(root: Path) -> Release:
    """Read a source tree and find the places of the shipped patches in it."""
    names = [file for file in hashed_files(root) if file.endswith((".c", ".h"))]
    texts = {
        file: (root / file).read_text(encoding="utf-8", errors="surrogateescape") for file in names
    }
    places = []
    for patch in chosen(root, load_series()):
        for hunk in patch.hunks:
            try:
                found = find_places(hunk, texts[hunk.file])
            except PatchDrift:
                continue  # an earlier patch adds the text of its anchor
            places.append(EditPlace(patch.name, hunk, *found[0]))
    return Release(root, texts, tuple(places), _reserved())


def vary(release: Release, kind: str, seed: int) -> Variant:
    """Return the variant of a kind and a seed; equal arguments give equal variants.

    Args:
        release: The release.
        kind: A key of `KINDS`.
        seed: Any integer.

    Raises:
        ValueError: No place of the release admits the change.
    """
    chance = random.Random(f"{release.root.name} {kind} {seed}")
    by_patch: dict[str, list[EditPlace]] = {}
    for place in release.places:
        by_patch.setdefault(place.patch, []).append(place)
    patches = list(by_patch)
    chance.shuffle(patches)
    for patch in patches:
        places = by_patch[patch]
        chance.shuffle(places)
        for place in places:
            edit = KINDS[kind](release, place, chance)
            if edit is not None:
                return Variant(kind, seed, patch, edit)
    raise ValueError(f"{kind}: no place of {release.root} admits it")


def code_of(text: str) -> str:
    """Return `text` with blanks for comments and `_` inside literals; offsets stay."""
    return _code_of(text)


@functools.lru_cache(maxsize=256)
def _code_of(text: str) -> str:
    def blank(match: re.Match[str]) -> str:
        found = match[0]
        if found.startswith("/"):
            return re.sub(r"[^\n]", " ", found)
        return found[0] + "_" * (len(found) - 2) + found[-1]

    return COMMENT.sub(blank, text)


@functools.lru_cache(maxsize=256)
def functions_of(text: str) -> tuple[UpstreamFunction, ...]:
    """Return the definitions of a file. A head with a preprocessor line in it is left out."""
    found = []
    for match in _FUNCTION.finditer(code_of(text)):
        name = _NAME.search(match["head"])
        if name is not None:
            head = text[match.start() : match.start() + len(match["head"])]
            found.append(UpstreamFunction(name[1], head, match.start(), match.end()))
    return tuple(found)


def function_at(text: str, offset: int) -> UpstreamFunction | None:
    """Return the definition that an offset of a file is in."""
    return next((one for one in functions_of(text) if one.start <= offset < one.end), None)


@functools.cache
def _reserved() -> frozenset[str]:
    words: set[str] = set()
    package = Path(paths.__file__).resolve().parents[1]
    for path in sorted((*paths.templates_dir().rglob("*"), *package.rglob("*.py"))):
        if path.suffix in (".c", ".h", ".cu", ".cpp", ".j2", ".mk", ".py") and path.is_file():
            words.update(re.findall(r"\w+", path.read_text(encoding="utf-8")))
    return frozenset(words)


class _Lines:
    """The lines of a file, their code, and whether each is plain code, outside directives."""

    def __init__(self, text: str) -> None:
        """Split a file."""
        self.text = text
        self.raw = text.split("\n")
        self.code = code_of(text).split("\n")
        self.plain: list[bool] = []
        continued = False
        for raw, code in zip(self.raw, self.code, strict=True):
            self.plain.append(not continued and not _DIRECTIVE.match(code))
            continued = raw.endswith("\\")
            if continued:
                self.plain[-1] = False

    def near(self, place: EditPlace, chance: random.Random) -> list[int]:
        """Return the plain lines of functions near a place, in random order."""
        first = max(0, self.text.count("\n", 0, place.start) - WINDOW)
        last = self.text.count("\n", 0, place.end) + WINDOW
        inside = [
            range(self.text.count("\n", 0, one.start), self.text.count("\n", 0, one.end) - 1)
            for one in functions_of(self.text)
        ]
        found = [
            i
            for i in range(first, min(last, len(self.raw) - 1))
            if self.plain[i] and self.code[i].strip() and any(i in lines for lines in inside)
        ]
        chance.shuffle(found)
        return found

    def begins_statement(self, i: int) -> bool:
        """Return whether the line `i` starts a statement of a block."""
        if not self.raw[i][:1].isspace():
            return False  # the head of a function
        before = next((c.rstrip() for c in reversed(self.code[:i]) if c.strip()), "")
        if not before.endswith((";", "{", "}", ":")) or not self.plain[i - 1]:
            return False
        return not self.code[i].lstrip().startswith(("else", "}", "case ", "default:", "."))

    def ends_statement(self, i: int) -> bool:
        """Return whether the line `i` ends a statement that the next line does not continue."""
        code = self.code[i].rstrip()
        after = next((c.strip() for c in self.code[i + 1 :] if c.strip()), "")
        whole = code.endswith(";") and code.count("(") == code.count(")") and self.plain[i + 1]
        return whole and self.begins_statement(i) and not after.startswith(("else", ".", "while"))

    def joined(self, *changes: tuple[int, int, list[str]]) -> str:
        """Return the text with lines replaced; each change is a range of lines and new lines."""
        lines = list(self.raw)
        for first, last, new in sorted(changes, reverse=True):
            lines[first:last] = new
        return "\n".join(lines)


def _where(place: EditPlace, text: str) -> str:
    function = function_at(text, place.start)
    return f"{place.hunk.file}, {function.name}" if function else place.hunk.file


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _locals(text: str, function: UpstreamFunction) -> list[str]:
    """Return the names of parameters and of local variables that are declared on one line."""
    body = code_of(text)[function.start : function.end]
    # Without the arguments of macros in the head, as in `const struct LFSx_API (config) * c`.
    head = re.sub(r"(?<=[\w ])\(\s*\w+\s*\)\s*(?=[*\w(])", "", function.head)
    parameters = head[head.rindex("(") :] if "(" in head else ""
    found = re.findall(r"(\w+)(?:\[\])?\s*[,)]", parameters)
    for line in body.split("\n"):
        match = _DECLARATION.match(line)
        if match is not None and not _NO_TYPE.match(line):
            found.append(match["name"])
    macros = " ".join(
        one[0] for one in re.finditer(r"^[ \t]*#\s*define(?:[^\n]*\\\n)*[^\n]*", text, re.M)
    )
    hidden = set(re.findall(r"\w+", macros)) | {"void", "self", "n_args", "n_kw", "args"}
    return sorted({name for name in found if name not in hidden and len(name) > 1})


def _renamed(code: str, text: str, name: str, new: str) -> str:
    """Return `text` with a name replaced in its code, except for members of structures."""
    pattern = re.compile(rf"(?<![\w.])(?<!->){re.escape(name)}(?!\w)")
    parts, at = [], 0
    for match in pattern.finditer(code):
        parts += [text[at : match.start()], new]
        at = match.end()
    return "".join((*parts, text[at:]))


def rename_local(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Rename a local variable or a parameter of the function that the hunk is in."""
    file, text = place.hunk.file, release.texts[place.hunk.file]
    function = function_at(text, place.start)
    names = _locals(text, function) if function is not None else []
    if function is None or not names:
        return None
    name = chance.choice(names)
    new = f"{name}_now"
    code = code_of(text)
    body = _renamed(
        code[function.start : function.end], text[function.start : function.end], name, new
    )
    changed = text[: function.start] + body + text[function.end :]
    return SourceEdit(
        {file: changed},
        f"{file}, {function.name}: {name} is {new}",
        ((rf"\b{new}\b", name),),
        (name, new),
    )


def swap_declarations(
    release: Release, place: EditPlace, chance: random.Random
) -> SourceEdit | None:
    """Exchange two declarations on successive lines that do not depend on each other."""
    lines = _Lines(release.texts[place.hunk.file])
    for i in lines.near(place, chance):
        pair = [_DECLARATION.match(lines.code[n]) for n in (i, i + 1)]
        first, second = pair
        if first is None or second is None or not lines.plain[i + 1]:
            continue
        if any(_NO_TYPE.match(lines.code[n]) for n in (i, i + 1)):
            continue
        values = [one["value"] or "" for one in (first, second)]
        if any("(" in value or "++" in value or "--" in value for value in values):
            continue
        if first["name"] in re.findall(r"\w+", second[0]):
            continue
        text = lines.joined((i, i + 2, [lines.raw[i + 1], lines.raw[i]]))
        said = f"{_where(place, lines.text)}: {second['name']} is declared before {first['name']}"
        return SourceEdit({place.hunk.file: text}, said)
    return None


def split_initialiser(
    release: Release, place: EditPlace, chance: random.Random
) -> SourceEdit | None:
    """Split a declaration with a value into a declaration and an assignment."""
    lines = _Lines(release.texts[place.hunk.file])
    for i in lines.near(place, chance):
        found = _DECLARATION.match(lines.code[i])
        if found is None or not found["value"] or _NO_TYPE.match(lines.code[i]):
            continue
        if found["array"] or found["value"].startswith("{") or not lines.ends_statement(i):
            continue
        if re.search(r"const \Z|\bvolatile\b", found["type"]) or "*" in found["name"]:
            continue
        if found["type"].startswith("const ") and "*" not in found["type"]:
            continue
        value = lines.raw[i][found.start("value") :]
        new = [f"{found['indent']}{found['type']}{found['name']};"]
        new.append(f"{found['indent']}{found['name']} = {value}")
        said = f"{_where(place, lines.text)}: {found['name']} is assigned after its declaration"
        return SourceEdit({place.hunk.file: lines.joined((i, i + 1, new))}, said)
    return None


def split_line(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Break a line of code at a blank between two tokens."""
    lines = _Lines(release.texts[place.hunk.file])
    for i in lines.near(place, chance):
        code = lines.code[i]
        blanks = [m.start() for m in re.finditer(r"(?<=[^ ]) (?=[^ ])", code)]
        if not blanks:
            continue
        at = chance.choice(blanks)
        new = [lines.raw[i][:at], f"{_indent(code)}    {lines.raw[i][at + 1 :]}"]
        said = f"{_where(place, lines.text)}: the line {i + 1} is two"
        return SourceEdit({place.hunk.file: lines.joined((i, i + 1, new))}, said, ())
    return None


def join_lines(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Join up to four lines of code, also a whole short function."""
    lines = _Lines(release.texts[place.hunk.file])
    for i in lines.near(place, chance):
        last = i
        for _ in range(chance.randint(1, MAX_JOINED)):
            comment = "//" in lines.raw[last][len(lines.code[last].rstrip()) :]
            going = lines.plain[last + 1] and lines.code[last + 1].strip() and not comment
            # Porter finds the end of a function by its brace in column 0, or on the head's line.
            ends = lines.code[last + 1].startswith("}") and lines.raw[i][:1].isspace()
            if not going or ends:
                break
            last += 1
        if last == i:
            continue
        new = " ".join(
            (lines.raw[i].rstrip(), *(one.strip() for one in lines.raw[i + 1 : last + 1]))
        )
        said = f"{_where(place, lines.text)}: the lines {i + 1} to {last + 1} are one"
        return SourceEdit({place.hunk.file: lines.joined((i, last + 1, [new]))}, said, ())
    return None


def add_comment(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Add a comment with code and braces near the hunk: inside a line, after it or before it."""
    lines = _Lines(release.texts[place.hunk.file])
    for i in lines.near(place, chance):
        raw, code = lines.raw[i], lines.code[i]
        words = code.strip().replace("*/", "")
        blanks = [m.start() for m in re.finditer(r"(?<=[^ ]) (?=[^ ])", code)]
        ways = [[f"{_indent(raw)}// was: {words} {{", raw], ["/*", words, "}", "*/", raw]]
        if raw.rstrip() == code.rstrip():
            ways.append([f"{raw} // not {words} }}"])
        if blanks:
            at = chance.choice(blanks)
            ways.append([f"{raw[:at]} /* {words} */{raw[at:]}"])
        new = chance.choice(ways)
        said = f"{_where(place, lines.text)}: a comment at line {i + 1}"
        return SourceEdit({place.hunk.file: lines.joined((i, i + 1, new))}, said, ())
    return None


def _inserted(
    release: Release, place: EditPlace, chance: random.Random, pattern: str, undo: str
) -> SourceEdit | None:
    """Insert a statement before or after a statement near the hunk."""
    lines = _Lines(release.texts[place.hunk.file])
    mark = MARK + chance.randrange(10_000)
    for i in lines.near(place, chance):
        ways = [i] if lines.begins_statement(i) and lines.plain[i - 1] else []
        ways += [i + 1] if lines.ends_statement(i) else []
        if not ways:
            continue
        at = chance.choice(ways)
        if lines.code[i].rstrip().endswith(":") or re.match(r"\s*\w+:(?!:)", lines.code[i]):
            continue  # a label
        new = _indent(lines.code[i]) + pattern.format(mark)
        said = f"{_where(place, lines.text)}: {pattern.format(mark)} before line {at + 1}"
        edit = {place.hunk.file: lines.joined((at, at, [new]))}
        return SourceEdit(edit, said, ((undo.format(mark), ""),))
    return None


def insert_statement(
    release: Release, place: EditPlace, chance: random.Random
) -> SourceEdit | None:
    """Insert an expression statement without side effects."""
    return _inserted(release, place, chance, "(void){};", r"\(\s*void\s*\)\s*{}\s*;")


def insert_declaration(
    release: Release, place: EditPlace, chance: random.Random
) -> SourceEdit | None:
    """Insert a new variable of a block, and a use of it."""
    text = "int drift_{0} = 0; (void)drift_{0};"
    undo = r"int drift_{0}\s*=\s*0\s*;\s*\(\s*void\s*\)\s*drift_{0}\s*;"
    before = r"(?:(?:case [^\n]*|default|\w+)\s*:)\s*\Z"
    edit = _inserted(release, place, chance, text, undo)
    if edit is None:
        return None
    made = code_of(edit.texts[place.hunk.file])
    at = made.index("int drift_")
    return None if re.search(before, made[:at]) else edit  # C allows no declaration after a label


def wrap_statement(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Wrap a statement in `do { } while (0)`."""
    lines = _Lines(release.texts[place.hunk.file])
    for i in lines.near(place, chance):
        if not _STATEMENT.match(lines.code[i]) or not lines.ends_statement(i):
            continue
        if _NO_TYPE.match(lines.code[i]):
            continue
        indent = _indent(lines.raw[i])
        new = [f"{indent}do {{", f"    {lines.raw[i]}", f"{indent}}} while (0);"]
        said = f"{_where(place, lines.text)}: line {i + 1} is in do while"
        return SourceEdit({place.hunk.file: lines.joined((i, i + 1, new))}, said)
    return None


def negate_if(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Exchange the branches of an if with else, and negate its condition."""
    file, text = place.hunk.file, release.texts[place.hunk.file]
    function = function_at(text, place.start)
    if function is None:
        return None
    lines = _Lines(text)
    first, last = (text.count("\n", 0, at) for at in (function.start, function.end))
    found = []
    for i in range(first, last):
        head = re.match(r"( *)if \((.*)\) \{\s*$", lines.code[i])
        if head is None or not lines.plain[i]:
            continue
        ends = [
            n
            for n in range(i + 1, last)
            if len(_indent(lines.code[n])) <= len(head[1])
            and lines.code[n].strip()
            and lines.plain[n]
        ][:2]
        if len(ends) < 2 or lines.code[ends[0]].strip() != "} else {":
            continue
        middle, end = ends
        if lines.code[end].strip() != "}" or lines.raw[i].rstrip() != lines.code[i].rstrip():
            continue
        branches = [lines.raw[i + 1 : middle], lines.raw[middle + 1 : end]]
        if all(_balanced(branch) for branch in branches):
            found.append((i, middle, end, head))
    if not found:
        return None
    near = text.count("\n", 0, place.start)
    i, middle, end, head = min(
        found, key=lambda one: (not one[0] <= near <= one[2], abs(one[0] - near))
    )
    condition = lines.raw[i][head.start(2) : head.end(2)]
    new = [f"{head[1]}if (!({condition})) {{", *lines.raw[middle + 1 : end], lines.raw[middle]]
    new += [*lines.raw[i + 1 : middle], lines.raw[end]]
    said = f"{file}, {function.name}: the branches of line {i + 1} are exchanged"
    return SourceEdit({file: lines.joined((i, end + 1, new))}, said)


def _balanced(lines: list[str]) -> bool:
    """Return whether each conditional that begins in these lines ends in them."""
    depth = 0
    for line in lines:
        found = _DIRECTIVE.match(line)
        word = found[1] if found else ""
        depth += word in ("if", "ifdef", "ifndef")
        if depth == 0 and word in ("else", "elif", "endif"):
            return False
        depth -= word == "endif"
    return depth == 0


def swap_includes(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Exchange two successive `#include` lines after a file's first two."""
    file, text = place.hunk.file, release.texts[place.hunk.file]
    if not file.endswith(".c"):
        return None
    lines = _Lines(text)
    includes = [
        i for i, raw in enumerate(lines.raw) if re.match(r'#include ["<][^"<>]+\.h[">]', raw)
    ]
    pairs = [i for i in includes[2:] if i + 1 in includes]
    if not pairs:
        return None
    i = chance.choice(pairs)
    new = [lines.raw[i + 1], lines.raw[i]]
    said = f"{file}: {new[0]} is before {new[1]}"
    return SourceEdit({file: lines.joined((i, i + 2, new))}, said)


def _movable(release: Release, place: EditPlace) -> UpstreamFunction | None:
    """Return the function that a hunk is in, if all its conditionals end in it."""
    text = release.texts[place.hunk.file]
    function = function_at(text, place.start)
    if function is None or not place.hunk.file.endswith(".c"):
        return None
    return function if _balanced(text[function.start : function.end].split("\n")) else None


def _prototype(function: UpstreamFunction) -> str:
    return f"{function.head.rstrip()};\n"


def move_function(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Move a function to the end of its file, or of its conditional, and leave a declaration."""
    file, text = place.hunk.file, release.texts[place.hunk.file]
    function = _movable(release, place)
    if function is None or "inline" in function.head:
        return None
    depth, at = 0, function.end
    for line in text[function.end :].splitlines(True):
        found = _DIRECTIVE.match(line)
        word = found[1] if found else ""
        if depth == 0 and word in ("else", "elif", "endif"):
            break
        depth += word in ("if", "ifdef", "ifndef")
        depth -= word == "endif"
        at += len(line)
    body = text[function.start : function.end]
    start, end = function.start, function.end
    changed = f"{text[:start]}{_prototype(function)}{text[end:at]}\n{body}{text[at:]}"
    return SourceEdit({file: changed}, f"{file}: {function.name} is further down")


def function_to_file(
    release: Release, place: EditPlace, chance: random.Random
) -> SourceEdit | None:
    """Move a function to a file of its own, which its old file includes.

    The new file is no `.c` file, since upstream's makeqstrdefs.py then loses the names above the
    include.
    """
    file, text = place.hunk.file, release.texts[place.hunk.file]
    function = _movable(release, place)
    if function is None:
        return None
    new = f"{file.removesuffix('.c')}_{function.name}.h"
    changed = f'{text[: function.start]}#include "{new}"\n{text[function.end :]}'
    return SourceEdit(
        {file: changed, new: text[function.start : function.end]},
        f"{file}: {function.name} is in {new}",
    )


def copy_function(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Insert a copy of a function under another name before it, so that the code occurs twice."""
    file, text = place.hunk.file, release.texts[place.hunk.file]
    function = _movable(release, place)
    if function is None or function.name.isupper() or "MICROPY_WRAP" in function.head:
        return None
    body = text[function.start : function.end]
    if not re.search(r"^static ", body) or "inline" in function.head:
        return None
    new = f"{function.name}_too"
    copy = re.sub(rf"\b{function.name}\b", new, body.removeprefix("static "))
    head = re.sub(rf"\b{function.name}\b", new, function.head.removeprefix("static "))
    changed = f"{text[: function.start]}{head};\n{copy}\n{text[function.start :]}"
    return SourceEdit({file: changed}, f"{file}: {new} is a copy of {function.name}")


def alternate_head(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Write a function's head twice, in two branches of a conditional."""
    file, text = place.hunk.file, release.texts[place.hunk.file]
    function = _movable(release, place)
    if function is None:
        return None
    head = f"{function.head} {{\n"
    behind = text[function.start + len(function.head) :].split("{", 1)[1].removeprefix("\n")
    mark = MARK + chance.randrange(10_000)
    new = f"#if MICROPY_DRIFT_{mark}\n{head}#else\n{head}#endif\n"
    said = f"{file}: {function.name} has two heads"
    return SourceEdit({file: text[: function.start] + new + behind}, said)


def rename_function(release: Release, place: EditPlace, chance: random.Random) -> SourceEdit | None:
    """Rename a function in the whole tree, unless the port names it."""
    text = release.texts[place.hunk.file]
    function = function_at(text, place.start)
    if function is None or function.name in release.reserved:
        return None
    name, new = function.name, f"{function.name}_impl"
    whole = re.compile(rf"\b{name}\b")
    parts = [m.start() + 1 for m in re.finditer("_", name)]
    pasted = [rf"\b{name[:at]}\s*##" for at in parts]
    pattern = re.compile("|".join((rf"\w{name}\b", rf"\b{name}\w*##", *pasted)))
    if name.isupper() or any(pattern.search(one) for one in release.texts.values()):
        return None  # a macro may paste the name
    changed = {
        file: _renamed(code_of(one), one, name, new)
        for file, one in release.texts.items()
        if whole.search(one)
    }
    said = f"{name} is {new} in {len(changed)} files"
    return SourceEdit(changed, said, ((rf"\b{new}\b", name),), (name, new))


KINDS: Mapping[str, Callable[[Release, EditPlace, random.Random], SourceEdit | None]] = {
    "add-comment": add_comment,
    "alternate-head": alternate_head,
    "copy-function": copy_function,
    "function-to-file": function_to_file,
    "insert-declaration": insert_declaration,
    "insert-statement": insert_statement,
    "join-lines": join_lines,
    "move-function": move_function,
    "negate-if": negate_if,
    "rename-function": rename_function,
    "rename-local": rename_local,
    "split-initialiser": split_initialiser,
    "split-line": split_line,
    "swap-declarations": swap_declarations,
    "swap-includes": swap_includes,
    "wrap-statement": wrap_statement,
}


def variants(release: Release, number: int) -> Iterator[Variant]:
    """Yield `number` variants, the kinds in turn."""
    kinds = list(KINDS)
    for seed in range(number):
        yield vary(release, kinds[seed % len(kinds)], seed)


def difference(release: Release, variant: Variant) -> str:
    """Return the variant as a unified diff."""
    parts: list[str] = []
    for file, text in variant.edit.texts.items():
        old = release.texts.get(file, "").splitlines(True)
        parts += difflib.unified_diff(old, text.splitlines(True), file, file)
    return "".join(parts)


if __name__ == "__main__":
    made = read_release(release_dir(sys.argv[1]))
    one = vary(made, sys.argv[2], int(sys.argv[3]))
    print(f"{one.edit.description} (a hunk of {one.patch})\n{difference(made, one)}", end="")
