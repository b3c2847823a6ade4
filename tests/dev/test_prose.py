"""The prose check finds invented bad lines, accepts good ones, and reads git's added lines."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from porter_dev.prose import ACTOR, ProseFinding, Repository, check_subject, check_text, main


def rules(name: str, text: str) -> list[tuple[int, str]]:
    return [(finding.line, finding.rule) for finding in check_text(name, text)]


BAD = [
    ("# Who waits is woken.", "subject"),
    ("# The barrier opens. What waited goes on.", "subject"),
    ("# That is a lane of another warp.", "subject"),
    ("# Others wait at the barrier.", "subject"),
    ("# Those that wait are woken.", "subject"),
    ("# One that waits is woken.", "subject"),
    ("# So many are woken.", "subject"),
    ("# Nobody waits here.", "subject"),
    ("# The launch runs machine code.", "term"),
    ("# The lane gives up after three polls.", "term"),
    ("x = 1  # a stand-in for the device", "term"),
    ("# The pool has no room for another row.", "term"),
    ("# Lanes whose ways have parted.", "term"),
    ("# A fenced build checks this.", "term"),
    ("# Tell the caller what became of the row.", "term"),
]
GOOD = [
    "# The waiting lane is woken.",
    "# What does a poll cost? See YIELD_INTERVAL.",
    "# One launch runs all rows; one lane runs one row.",
    "# The rule does not read code: `Who waits`.",
    "# That lane belongs to another warp, and such a lane yields.",
    "# Such programs run longer.",
    "# Others' builds are read-only.",
    "# This row is one that waits.",
    "# The launch runs native code. Lanes diverge, and the guard bails out.",
    "# Native code, not `machine code`, and porter/native/stubs.py.",
    '# The message is "no room for interpreters".',
    "# A memory fence orders the stores; roomy_device is a fixture.",
    "who = 'Who waits'",
]


@pytest.mark.parametrize(("line", "rule"), BAD)
def test_bad_comments(line: str, rule: str) -> None:
    assert rules("a.py", line + "\n") == [(1, rule)]
    if line.startswith("# "):
        assert rules("a.cu", f"int i;\n//{line[1:]}\n") == [(2, rule)]
        assert rules("a.h", f"/*{line[1:]} */\n") == [(1, rule)]
        assert rules("a.toml", f"key = 1\n\n{line}\n") == [(3, rule)]
        assert rules("a.md", f"# Title\n\n* {line[2:]}\n") == [(3, rule)]
        assert rules("a.md", f"| a | {line[2:]} |\n") == [(1, rule)]


@pytest.mark.parametrize("line", GOOD)
def test_good_comments(line: str) -> None:
    assert rules("a.py", line + "\n") == []
    if line.startswith("# "):
        assert rules("a.cu", f"//{line[1:]}\n") == []
        assert rules("a.md", f"{line[2:]}\n") == []


def test_a_sentence_that_begins_within_a_paragraph_has_its_own_line() -> None:
    text = "# The launch ends, and the host reads\n# the row. Who\n# waited is woken.\n"
    assert rules("a.py", text) == [(2, "subject")]
    assert rules("a.py", "# The launch reads what\n\n# What the row has\n") == [(3, "subject")]


DOCSTRING = 'def f(row):\n    """{}"""\n'


@pytest.mark.parametrize(
    "start",
    [
        "What the row has.", "Whether the row is done.", "How many rows are left.", "Nothing.",
        "Returns the row.", "Gives the row back.", "As `g`, but faster.",
    ],
)  # fmt: skip
def test_bad_docstrings(start: str) -> None:
    assert (2, "docstring") in rules("a.py", DOCSTRING.format(start))


@pytest.mark.parametrize(
    "start",
    ["Return the row.", "Return whether the row is done.", "Rows of a launch.", "Checks of rows."],
)
def test_good_docstrings(start: str) -> None:
    assert rules("a.py", DOCSTRING.format(start)) == []


def test_a_property_may_say_whether() -> None:
    text = 'class A:\n    @property\n    def done(self):\n        """Whether the row is done."""\n'
    assert rules("a.py", text) == []
    assert rules("a.py", text.replace("@property", "@staticmethod")) == [(4, "docstring")]


def test_entries_of_a_docstring_are_read() -> None:
    text = 'def f(row):\n    """Return it.\n\n    Args:\n        row: What it is.\n    """\n'
    assert rules("a.py", text) == [(5, "subject")]


def test_code_is_no_prose() -> None:
    assert rules("a.md", "```sh\nWho waits\n```\n\n    Who waits\n\nA lane waits.\n") == []
    assert rules("a.c", 'print("http://machine code");\n') == []
    assert rules("a.py", "text = '''\n# Who waits\n'''\n") == []
    assert rules("a.py", "def f(:\n    # Who waits\n") == []  # a program for another Python
    assert rules("a.csv", "Who waits\n") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "# Who waits. prose: ignore\n"),
        ("a.py", "# prose: ignore\n# Who waits.\n"),
        ("a.py", 'def f():\n    """What it is.\n\n    Who waits.\n    """  # prose: ignore\n'),
        ("a.cu", "// Who waits. prose: ignore\n"),
        ("a.md", "Text.\n\n<!-- prose: ignore -->\nWho waits.\n"),
    ],
)
def test_the_mark_exempts(name: str, text: str) -> None:
    assert rules(name, text) == []
    assert rules(name, text.replace("prose: ignore", "A comment.")) != []


def test_a_finding_names_place_rule_and_suggestion() -> None:
    (finding,) = check_text("porter/a.py", "# A stand-in.\n")
    assert str(finding) == "porter/a.py:1: [term] 'stand-in': stub, fake"


def test_only_added_lines_are_reported() -> None:
    text = "# Who waits.\n\n# Who runs.\n"
    assert [finding.line for finding in check_text("a.py", text, {3})] == [3]


@pytest.mark.parametrize(
    "subject",
    ["launch: introduce TemplateBatch", "run, array: rename rows", "porter_dev/prose: add rules",
     "Merge branch 'main'", 'Revert "launch: introduce TemplateBatch"'],
)  # fmt: skip
def test_good_subjects(subject: str) -> None:
    assert check_subject("abc", subject) == []


@pytest.mark.parametrize(
    "subject",
    ["A batch of templates has a name", "launch: a batch has a name", "launch:introduce it",
     "launch: nothing waits", "launch: introduce " + "x" * 60],
)  # fmt: skip
def test_bad_subjects(subject: str) -> None:
    (finding,) = check_subject("abc", subject)
    assert (finding.file, finding.line, finding.rule) == ("abc", 0, "commit")


Git = Callable[..., str]


@pytest.fixture
def git(tmp_path: Path) -> Git:
    """Return a function that runs git in the new repository tmp_path/work."""
    work = tmp_path / "work"
    work.mkdir()

    def git(*args: str, folder: Path = work) -> str:
        config = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false"]
        done = subprocess.run(
            ["git", *config, *args], cwd=folder, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    git("init", "-q", "-b", "main")
    return git


def commit(git: Git, folder: Path, subject: str, **files: str) -> str:
    for name, text in files.items():
        (folder / f"{name}.py").write_text(text)
    git("add", "-A", folder=folder)
    git("commit", "-q", "-m", subject, folder=folder)
    return git("rev-parse", "HEAD", folder=folder)


def found(root: Path, *args: str) -> int:
    return main(args, root)


def test_a_change_is_compared_with_its_base(
    git: Git, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work"
    first = commit(git, work, "Whatever", a="# Who waits.\nx = 1\n")
    assert found(work) == 0  # one commit: no line counts as added
    assert "one commit" in capsys.readouterr().out
    assert found(work, "--all") == 1
    assert "a.py:1: [subject] 'Who'" in capsys.readouterr().out

    commit(git, work, "a: add y", a="# Who waits.\nx = 1\ny = 2\n")
    assert found(work) == 0  # the bad line is older
    commit(git, work, "a: add z", b="# A lane waits.\nz = 2\n")
    commit(git, work, "New lines", b="# A lane waits.\n# Who runs.\nz = 2\n")
    capsys.readouterr()
    assert found(work) == 1  # HEAD~1
    out = capsys.readouterr().out.splitlines()
    assert [line.split(" ", 2)[:2] for line in out] == [
        ["b.py:2:", "[subject]"], [f"{git('rev-parse', '--short', 'HEAD')}:", "[commit]"],
        ["prose:", "2"],
    ]  # fmt: skip
    (work / "b.py").write_text("# A lane waits.\nz = 2\n")  # the working tree counts
    assert [finding.rule for finding in Repository(work).check_added(first)] == ["commit"]


def test_a_branch_is_compared_with_its_merge_base(git: Git, tmp_path: Path) -> None:
    work, clone = tmp_path / "work", tmp_path / "clone"
    base = commit(git, work, "a: begin", a="x = 1\n")
    git("clone", "-q", str(work), str(clone))
    commit(git, work, "Upstream's", c="# Who waits.\n")
    git("fetch", "-q", folder=clone)
    git("checkout", "-q", "-b", "topic", folder=clone)
    commit(git, clone, "b: add y", b="# Who runs.\n")
    commit(git, clone, "b: add z", d="z = 1\n")
    assert Repository(clone).base() == base
    assert found(clone) == 1  # b.py, two commits before
    assert Repository(clone).check_added(base) == [ProseFinding("b.py", 1, "subject", "Who", ACTOR)]


def test_a_shallow_clone_passes(git: Git, tmp_path: Path) -> None:
    work, clone = tmp_path / "work", tmp_path / "clone"
    commit(git, work, "a: begin", a="x = 1\n")
    commit(git, work, "What", a="# Who waits.\n")
    git("clone", "-q", "--depth", "1", work.as_uri(), str(clone))
    assert Repository(clone).base() is None
    assert found(clone) == 0
    assert found(clone, "--since", "HEAD~1") == 2


def test_history_and_generated_programs_are_not_read(git: Git, tmp_path: Path) -> None:
    work = tmp_path / "work"
    changelog = "docs/reference/changelog.md"
    for name in (changelog, "docs/lab/performance.md", "tests/x/programs/a.py", "upstream/a.c"):
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text("# A\n\nWho waits.\n")
    commit(git, work, "a: begin")
    assert found(work, "--all") == 0


def test_a_sample_depends_on_the_seed_only(
    git: Git, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    work = tmp_path / "work"
    lines = [f"# The launch runs row number {'i' * k}." for k in range(2, 42)]
    files = {
        "porter/a.py": "\n\n".join(lines[:20])
        + '\n\ndef f():\n    """Return the rows it has."""\n',
        "porter/short.py": "# Two words\n\n# `every word of this` is `code.py`\n",
        "templates/a.cu": "\n\n".join(f"//{line[1:]}" for line in lines[20:30]),
        "docs/how-to/files.md": "\n\n".join(line[2:] for line in lines[30:]),
        "patches/a.toml": "# The patch adds a check here.\ntext = '''\n"
        "#if ONE_OF_MANY_OPTIONS IS ON\n// The check reads the length first.\n'''\n",
        "docs/lab/gpu.md": "This page records the history only.\n",
        "tests/a.py": "# This comment of a test is not sampled.\n",
    }
    for name, text in files.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_text(text)
    commit(git, work, "a: begin")
    repository = Repository(work)
    every = repository.sample(1000, 1)
    assert len(every) == len(lines) + 3
    assert ("porter/a.py", 42, "Return the rows it has.") in every
    assert [line for name, line, _ in every if name == "patches/a.toml"] == [1, 4]
    assert {name.split("/")[0] for name, *_ in every} == {"porter", "templates", "docs", "patches"}
    sample = repository.sample(9, 7)
    assert sample == repository.sample(9, 7) == sorted(sample)
    assert len(set(sample)) == 9 and set(sample) < set(every)
    assert sample != repository.sample(9, 8)
    assert found(work, "--sample", "9", "--seed", "7") == 0
    shown = capsys.readouterr().out.splitlines()
    assert shown == [f"{name}:{line}: {text}" for name, line, text in sample]


def test_a_sample_of_nothing_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        found(tmp_path, "--sample", "0")
    assert "N is at least 1" in capsys.readouterr().err
