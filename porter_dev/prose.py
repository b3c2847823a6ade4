"""The prose check: list added lines that break objective rules of the project's writing style.

Enters: a git commit. Leaves: findings in comments, docstrings and guides of lines that were added
since then, and in the subjects of later commits. `.ci/run` calls it beside the linters. Rules that
need judgement (sentence length, voice) are left to reviewers.

    python -m porter_dev.prose                  # since the merge base with the upstream branch
    python -m porter_dev.prose --since COMMIT
    python -m porter_dev.prose --all            # every line; does not read commits
    python -m porter_dev.prose --sample 200 --seed 1    # random paragraphs, for a reviewer

The comment `prose: ignore` exempts its line and the next one, or the docstring that ends on its
line. The exit status is 1 if there are findings.

`--sample` prints paragraphs of comments, docstrings and guides, for the rules that a program cannot
check. The seed and the tracked files determine the sample.
"""

from __future__ import annotations

import argparse
import ast
import io
import random
import re
import subprocess
import sys
import tokenize
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from attrs import field, frozen

ROOT = Path(__file__).resolve().parents[1]
IGNORE = "prose: ignore"
IMPERATIVE = "begin with a verb in the imperative: Return, Merge, Compile"
ACTOR = "name the actor: lane, launch, row, program, rule, caller"
SUBJECT_LENGTH = 72  # characters; longer subjects are cut in git's and the forge's lists
C_SUFFIXES = frozenset((".c", ".cpp", ".cu", ".cuh", ".h", ".hpp", ".inc"))
HASH_SUFFIXES = frozenset((".sh", ".toml", ".yml"))
# History, upstream's files, generated programs, and the rules' own examples.
EXCLUDED = re.compile(
    r"^(?:docs/lab/|docs/(?:\w+/)?changelog\.md|upstream/|patches/|porter_dev/prose\.py"
    r"|tests/dev/test_prose\.py)|/(?:corpus|findings|programs)/"
)

# Folders of which `--sample` draws paragraphs; history is no prose to review.
SAMPLED = re.compile(r"^(?:porter|porter_dev|templates|patches|docs)/")
NOT_SAMPLED = re.compile(r"^docs/lab/|/changelog\.md$")
SAMPLE_WORDS = 4  # minimum words of a sampled paragraph; shorter ones are labels
_CODE = re.compile(r"`[^`]*`|\[[^]]*\]\([^)]*\)|[\w./-]*[/_.][\w/-]+")


@frozen
class Term:
    """An old term and the field's terms that replace it."""

    pattern: re.Pattern[str]
    instead: str


def _term(pattern: str, instead: str) -> Term:
    return Term(re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead)


# Old terms without a second, legitimate meaning in this project.
TERMS = (
    _term(r"machine codes?", "native code"),
    _term(r"g(?:ive|ives|iving|ave|iven) up", "bail out, deoptimize, abandon"),
    _term(r"hand(?:s|ed|ing)? over", "bail out, return control, pass"),
    _term(r"ways? (?:have |has )?(?:part|parts|parted|meet)", "diverge, reconverge"),
    _term(r"lets? (?:it|them|others) go(?: on)?", "release, yield"),
    _term(r"(?:make|makes|made|no|little|more|enough) room|room (?:for|to|in)",
          "space, capacity, memory budget, code buffer, convergence group"),
    _term(r"fenced (?:build|host twin|library)s?|builds? with(?:out)? fences|ended by a fence",
          "bounds-checked build, bounds check"),
    _term(r"stand-?ins?(?!\.\w)", "stub, fake"),
    _term(r"as upstream has (?:it|them)", "upstream's default"),
    _term(r"looks? around", "poll"),
    _term(r"what (?:it|they|that|one) (?:comes? to|gave|gives?|left|leaves?)",
          "result, output, exit state"),
    _term(r"(?:what|that) (?:became|becomes) of", "status, outcome"),
    _term(r"ends? well|ended well", "succeed"),
)  # fmt: skip

# A word at the start of a sentence that leaves its subject unnamed.
_VERB = (
    r"(?:is|are|was|were|has|have|had|does|do|can|could|may|might|must|will|would|shall|should"
    r"|makes?|takes?|needs?|gives?|goes|comes?|runs?|works?|waits?|keeps?|means?|costs?|lets?)"
)
SUBJECT = re.compile(
    rf"(?:Who|Whoever|Whom|Whatever|Nobody)\b(?! am i)"
    rf"|What(?! (?:is|are|about)\b[^.]*:)\b"
    rf"|(?:That|Such|Others) {_VERB}\b"
    rf"|(?:Those|Ones) (?:that|who|whose|which)\b"
    rf"|(?:One|That one) (?:that|who|whose|which|{_VERB})\b"
    rf"|(?:So many|So much) (?:{_VERB}|of)\b"
)
_SENTENCE = re.compile(r"(?:^|[.!?;:]\)?\s+)(?=[A-Z])")

# First words of a docstring that are neither a verb in the imperative nor a noun.
_NO_VERB = re.compile(
    r"(?:What|Whether|How many|How much|How|Who|Whose|Of|That|As|So|Nothing|Nobody|None)\b"
)
_THIRD_PERSON = re.compile(
    r"(?:Adds|Answers|Builds|Calls|Checks|Compiles|Computes|Converts|Creates|Gets|Gives|Makes|Opens"
    r"|Parses|Prints|Raises|Reads|Removes|Returns|Runs|Says|Sets|Starts|Stops|Takes|Tells|Writes"
    r"|Yields) (?!are\b|of\b|and\b|in\b)"
)

COMMIT = re.compile(r"[\w./+-]+(?:, [\w./+-]+)*: (?P<first>\S+)")
_AUTOMATIC = re.compile(r"(?:Merge|Revert|fixup!|squash!) ")
_NO_IMPERATIVE = re.compile(
    r"(?:an?|the|one|no|nothing|nobody|none|what|who|whoever|whom|that|those|such|so|each|every|all"
    r"|some|any|it|its|they|this|these|there|where|when|how)",
    re.IGNORECASE,
)


@frozen
class ProseFinding:
    """A line that breaks a rule.

    Attributes:
        file: The path, relative to the repository, or the abbreviated hash of a commit.
        line: The line, from 1; 0 for a commit.
        rule: `subject`, `term`, `docstring` or `commit`.
        text: The words that break the rule.
        instead: A suggestion.
    """

    file: str
    line: int
    rule: str
    text: str
    instead: str

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        return f"{place}: [{self.rule}] {self.text!r}: {self.instead}"


@frozen
class ProseBlock:
    """Consecutive prose: a comment, a paragraph, a list item or a table cell.

    Attributes:
        lines: Line numbers and texts without comment signs.
        docstring: Whether a function's docstring begins with the block.
        property: Whether this function is a property, whose docstring may begin with "Whether".
        ignored: Lines that the mark of a docstring exempts.
    """

    lines: Sequence[tuple[int, str]]
    docstring: bool = False
    property: bool = False
    ignored: frozenset[int] = field(default=frozenset())

    def findings(self, file: str) -> Iterator[ProseFinding]:
        """Yield the findings in order of their rules."""
        starts, text = [], ""
        for _, line in self.lines:
            starts.append(len(text))
            text += line.strip() + " "
        # Same length as before, so that offsets stay valid.
        text = re.sub(r"`+[^`]*`+|\"[^\"]*\"|<!--.*?-->", lambda m: "x" * len(m[0]), text)

        def line_at(offset: int) -> int:
            return self.lines[bisect_right(starts, offset) - 1][0]

        for start in _SENTENCE.finditer(text):
            subject = SUBJECT.match(text, start.end())
            if subject is not None and not _is_question(text, subject.end()):
                yield ProseFinding(file, line_at(subject.start()), "subject", subject[0], ACTOR)
        for term in TERMS:
            for found in term.pattern.finditer(text):
                yield ProseFinding(file, line_at(found.start()), "term", found[0], term.instead)
        if self.docstring and (first := _docstring_start(text, self.property)):
            yield ProseFinding(file, self.lines[0][0], "docstring", first, IMPERATIVE)


def _is_question(text: str, at: int) -> bool:
    end = re.compile(r"[.!?](?:\s|$)").search(text, at)
    return end is not None and end[0][0] == "?"


def _docstring_start(text: str, is_property: bool) -> str | None:
    found = _NO_VERB.match(text) or (None if is_property else _THIRD_PERSON.match(text))
    if found is None or (is_property and found[0] == "Whether"):
        return None
    return found[0].strip()


def _paragraphs(lines: Iterable[tuple[int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Split lines at empty lines, list items, table rows and entries of `Args:`."""
    part: list[tuple[int, str]] = []
    for number, line in lines:
        stripped = line.strip()
        if not stripped or re.match(r"[*+|-] |\||\d+\. |[\w*]+(?: \([^)]*\))?: |#", stripped):
            if part:
                yield part
            part = []
        if stripped.startswith("|"):
            yield from ([(number, cell)] for cell in stripped.split("|") if cell.strip())
        elif stripped:
            text = re.sub(r"^(?:[*+-] |\d+\. |[\w*]+(?: \([^)]*\))?: )", "", stripped)
            part.append((number, text))
    if part:
        yield part


def _comments(found: Iterable[tuple[int, int, str]]) -> Iterator[list[tuple[int, str]]]:
    """Join comments on consecutive lines in one column. Each has its line, column and text."""
    part: list[tuple[int, str]] = []
    last, column = -1, -1
    for number, start, text in found:
        if number != last + 1 or start != column:
            yield from _paragraphs(part)
            part = []
        part.append((number, text))
        last, column = number, start
    yield from _paragraphs(part)


def _python(text: str) -> Iterator[ProseBlock]:
    try:
        tree = ast.parse(text)
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError, ValueError):  # a program for another Python
        return
    comments = [
        (*token.start, token.string.lstrip("#: "))
        for token in tokens
        if token.type == tokenize.COMMENT and not token.string.startswith("#!")
    ]
    yield from map(ProseBlock, _comments(comments))
    lines = text.split("\n")
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if ast.get_docstring(node) is None:
            continue
        expression = node.body[0]
        first, last = expression.lineno, expression.end_lineno or expression.lineno
        inside = [(k, lines[k - 1].strip()) for k in range(first, last + 1)]
        inside[0] = (first, re.sub(r'^[rR]?(?:"""|\'\'\'|"|\')', "", inside[0][1]))
        closing = re.sub(r'(?:"""|\'\'\'|"|\')(?:\s*#.*)?$', "", inside[-1][1])
        inside[-1] = (last, closing)
        ignored = frozenset(range(first, last + 1)) if IGNORE in lines[last - 1] else frozenset()
        function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for k, part in enumerate(_paragraphs(inside)):
            yield ProseBlock(
                part, docstring=function and k == 0, property=_is_property(node), ignored=ignored
            )


def _is_property(node: ast.AST) -> bool:
    decorators = getattr(node, "decorator_list", [])
    return any("property" in ast.unparse(decorator) for decorator in decorators)


def _c(text: str) -> Iterator[ProseBlock]:
    comments: list[tuple[int, int, str]] = []
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        if inside or line.lstrip().startswith("/*"):
            comments.append((number, 0, line.strip().strip("/*").strip()))
            inside = "*/" not in line
        elif (found := re.search(r"(?<![:\"'/])//(?!/)\s?(.*)", line)) is not None:
            comments.append((number, found.start(), found[1]))
    yield from map(ProseBlock, _comments(comments))


def _hash(text: str) -> Iterator[ProseBlock]:
    comments = [
        (number, found.start(1), found[2])
        for number, line in enumerate(text.split("\n"), 1)
        if (found := re.search(r"(?:^|\s)(#(?!!) ?)(.*)", line)) is not None
    ]
    yield from map(ProseBlock, _comments(comments))


def _patch(text: str) -> Iterator[ProseBlock]:
    """Yield the comments of a patch: TOML's, and those of the C that it inserts."""
    # A line of C such as `#if` is no comment: TOML's comments here begin with "# ".
    hashes = re.sub(r"(?m)^\s*#(?! ).*$", "", text)
    yield from _hash(hashes)
    yield from _c(text)


def _guide(text: str) -> Iterator[ProseBlock]:
    lines: list[tuple[int, str]] = []
    code = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            code = not code
            line = ""
        elif code or line.startswith(("#", "<!--", "![", "    ")):
            line = ""
        lines.append((number, line))
    yield from map(ProseBlock, _paragraphs(lines))


def blocks(name: str, text: str) -> Iterator[ProseBlock]:
    """Yield the prose of a file; nothing for a type of file that has none."""
    suffix = Path(name).suffix
    if suffix == ".py":
        yield from _python(text)
    elif name.startswith("patches/") and suffix == ".toml":
        yield from _patch(text)
    elif suffix in C_SUFFIXES:
        yield from _c(text)
    elif suffix in HASH_SUFFIXES:
        yield from _hash(text)
    elif suffix == ".md":
        yield from _guide(text)


def check_text(name: str, text: str, added: set[int] | None = None) -> list[ProseFinding]:
    """Return the findings of a file.

    Args:
        name: The path, relative to the repository; its suffix chooses the reader.
        text: The content.
        added: The lines to report, from 1; None for all.
    """
    marked = {k for k, line in enumerate(text.split("\n"), 1) if IGNORE in line}
    exempt = marked | {k + 1 for k in marked}
    found = {
        finding
        for block in blocks(name, text)
        for finding in block.findings(name)
        if finding.line not in exempt | block.ignored and (added is None or finding.line in added)
    }
    return sorted(found, key=lambda finding: (finding.line, finding.rule, finding.text))


def check_subject(commit: str, subject: str) -> list[ProseFinding]:
    """Return the findings of a commit's subject; Merge and Revert are git's own."""
    if _AUTOMATIC.match(subject):
        return []
    if len(subject) > SUBJECT_LENGTH:
        instead = f"at most {SUBJECT_LENGTH} characters, not {len(subject)}"
        return [ProseFinding(commit, 0, "commit", subject, instead)]
    found = COMMIT.match(subject)
    if found is None or _NO_IMPERATIVE.fullmatch(found["first"]):
        return [ProseFinding(commit, 0, "commit", subject, "`component: imperative`")]
    return []


class Repository:
    """The git repository in `root`."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def git(self, *args: str) -> str:
        """Return the output of a git command; empty if it fails."""
        done = subprocess.run(
            ["git", "-C", str(self.root), *args], capture_output=True, text=True, errors="replace"
        )
        return done.stdout if done.returncode == 0 else ""

    def base(self) -> str | None:
        """Return the commit that the current work began from, or None in a clone of one commit.

        It is the merge base with the upstream branch. On that branch itself it is HEAD's parent.
        """
        head = self.git("rev-parse", "HEAD").strip()
        for upstream in ("origin/HEAD", "main@{upstream}", "origin/main"):
            base = self.git("merge-base", "HEAD", upstream).strip()
            if base and base != head:
                return base
        return self.git("rev-parse", "--verify", "--quiet", "HEAD~1").strip() or None

    def added(self, since: str) -> dict[str, set[int]]:
        """Return the lines added since a commit, also those not committed, by file."""
        result: dict[str, set[int]] = {}
        lines: set[int] = set()
        options = ("-U0", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/")
        for line in self.git("diff", *options, since, "--").split("\n"):
            if line.startswith("+++ "):
                lines = result.setdefault(line[6:], set()) if line[4:6] == "b/" else set()
            elif found := re.match(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@", line):
                first, count = int(found[1]), int(found[2] or 1)
                lines.update(range(first, first + count))
        return result

    def check_added(self, since: str) -> list[ProseFinding]:
        """Return the findings of lines and commits after a commit."""
        found = []
        for name, lines in sorted(self.added(since).items()):
            found += self._check(name, lines)
        for line in self.git("log", "--format=%h%x09%s", f"{since}..HEAD").splitlines():
            commit, _, subject = line.partition("\t")
            found += check_subject(commit, subject)
        return found

    def check_all(self) -> list[ProseFinding]:
        """Return the findings of all tracked files."""
        names = self.git("ls-files", "-z").split("\0")
        return [finding for name in names if name for finding in self._check(name, None)]

    def sample(self, size: int, seed: int) -> list[tuple[str, int, str]]:
        """Return random paragraphs of the tracked files in SAMPLED.

        Args:
            size: Number of paragraphs; more than there are returns all.
            seed: Seed of the random numbers.

        Returns:
            The file, the first line and the text of each paragraph, in order of files and lines.
        """
        found = []
        for name in sorted(self.git("ls-files", "-z").split("\0")):
            path = self.root / name
            if not SAMPLED.search(name) or NOT_SAMPLED.search(name) or path.is_symlink():
                continue
            if not path.is_file():
                continue
            text = path.read_text(encoding="utf-8", errors="replace")
            paragraphs = {
                (block.lines[0][0], " ".join(line.strip() for _, line in block.lines).strip())
                for block in blocks(name, text)
            }
            found += [
                (name, line, words)
                for line, words in sorted(paragraphs)
                if len(re.findall(r"[A-Za-z]{2,}", _CODE.sub("", words))) >= SAMPLE_WORDS
                and "-->" not in words
            ]
        return sorted(random.Random(seed).sample(found, min(size, len(found))))

    def _check(self, name: str, lines: set[int] | None) -> list[ProseFinding]:
        path = self.root / name
        if EXCLUDED.search(name) or not path.is_file() or path.is_symlink():
            return []
        return check_text(name, path.read_text(encoding="utf-8", errors="replace"), lines)


def main(args: Sequence[str] | None = None, root: Path = ROOT) -> int:
    """Print the findings. Returns the exit status: 1 with findings, else 0."""
    parser = argparse.ArgumentParser(prog="porter_dev.prose", description="Check prose.")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--since", metavar="COMMIT", help="check lines added since COMMIT")
    which.add_argument("--all", action="store_true", help="check all lines")
    which.add_argument("--sample", metavar="N", type=int, help="print N random paragraphs")
    parser.add_argument("--seed", metavar="S", type=int, default=0, help="seed of the sample")
    options = parser.parse_args(args)
    repository = Repository(root)
    if options.sample is not None:
        if options.sample < 1:
            parser.error("--sample: N is at least 1")
        for name, line, text in repository.sample(options.sample, options.seed):
            print(f"{name}:{line}: {text}")
        return 0
    if options.all:
        found = repository.check_all()
    else:
        since = options.since or repository.base()
        if since is None:
            print("prose: this clone has one commit, so no line counts as added")
            return 0
        if not repository.git("rev-parse", "--verify", "--quiet", f"{since}^{{commit}}"):
            print(f"prose: {since}: no such commit in this clone", file=sys.stderr)
            return 2
        found = repository.check_added(since)
    for finding in found:
        print(finding)
    print(f"prose: {len(found)} findings")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
