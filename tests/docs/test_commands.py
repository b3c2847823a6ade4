"""Commands in documents exist, and have the options and arguments that the documents show.

The default tier checks this for every `sh` block, also for blocks that only a campaign or no
machine can run.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.command_lines import calls, problems

from .blocks import DOCUMENTS, ROOT, Block, blocks, shown_name

BEGINS = re.compile(r"^(?:porter|python3 bootstrap\.py)(?: |$)", re.MULTILINE)


def shell_blocks(document: Path) -> list[Block]:
    return [block for block in blocks(document) if block.language == "sh"]


SHELL = [document for document in DOCUMENTS if shell_blocks(document)]


@pytest.mark.parametrize("document", SHELL, ids=shown_name)
def test_commands_parse(document: Path) -> None:
    found = [
        f"{block}: {told}" for block in shell_blocks(document) for told in problems(block.source)
    ]
    assert found == []


@pytest.mark.parametrize("document", SHELL, ids=shown_name)
def test_no_command_is_overlooked(document: Path) -> None:
    for block in shell_blocks(document):
        assert len(calls(block.source)) >= len(BEGINS.findall(block.source)), block


def test_commands_of_campaigns_are_checked() -> None:
    found = {
        call.words[0]
        for document in SHELL
        for block in shell_blocks(document)
        if block.campaign == "documents"
        for call in calls(block.source)
    }
    assert {"regress", "conformance", "build", "bundle", "sweep", "torture"} <= found


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("porter no-such-command", "no command"),
        ("porter --no-such-option run", "No such option"),
        ("porter fs no-such-command", "no command"),
        ("porter fs", "command is missing"),
        ("porter", "command is missing"),
        ("porter run --no-such-option a.py", "No such option"),
        ("porter run --targets host a.py", "No such option"),
        ("porter run --target moon a.py", "'moon' is not one of"),
        ("porter run a.py --heap", "requires an argument"),
        ("porter run --heap much a.py", "heap"),
        ("porter run -n many a.py", "not a valid integer"),
        ("porter run -n 0 a.py", "at least one"),
        ("porter run a.py b.py", "unexpected extra argument"),
        ("porter run --max-groups 0 a.py", "not in the range"),
        ("porter fs cat image", "Missing argument"),
        ("porter bundle --target host", "Missing argument"),
        ("porter torture -O9", "'9' is not one of"),
        ("python3 bootstrap.py no-such-command", "no command"),
        ("python3 bootstrap.py run --no-such-option", "No such option"),
        ("python -P -m porter run --no-such-option", "No such option"),
        ("python3 bootstrap.py test --campaign no-such-campaign", "no row"),
        ("python -m pytest --campaign=no-such-campaign tests/docs", "no row"),
        ("pytest --campaign", "no value"),
        ("python3 bootstrap.py campaign run no-such-campaign", "no row"),
        ("python3 bootstrap.py campaign no-such-command", "no command"),
        ("python3 bootstrap.py campaign ci", "Missing option"),
        ("porter run 'a.py", "no end"),
        ('porter run "a.py', "no end"),
        ("ls $(porter build", "no end"),
        ("cat <<END\nporter sync\n", "no end"),
    ],
)
def test_a_wrong_command_is_found(command: str, told: str) -> None:
    (problem,) = problems(command)
    assert told in problem


@pytest.mark.parametrize(
    "command",
    [
        "porter --version",
        "porter --debug run a.py",
        "porter build --help",
        "porter evaluate no-such-folder no-such-file.jsonl",
        "porter torture --replay no-such-file.c",
        "porter evaluate PROGRAMS CASES",
        "porter run -n $N --heap $HEAP --target $TARGET $PROGRAM",
        "porter run -n N --target TARGET --max-steps STEPS a.py",
        "porter fs build FOLDER IMAGE --size $((1 << 20))",
        'porter conformance "$@" ${tests[@]}',
        "python3 bootstrap.py test --campaign documents -k $WORD",
        "python3 bootstrap.py test --campaign all",
        "python3 bootstrap.py test --campaign NAME",
        "python3 bootstrap.py campaign run documents NAME",
        "python3 bootstrap.py campaign list",
    ],
)
def test_a_right_command_passes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert len(calls(command)) == 1
    assert problems(command) == []


@pytest.mark.parametrize(
    ("script", "found"),
    [
        ("porter run a.py  # of porter sync", ["porter run a.py"]),
        ("# porter run a.py", []),
        ("porter run \\\n    -n 4 \\\n    a.py", ["porter run -n 4 a.py"]),
        ("porter sync; porter rules", ["porter sync", "porter rules"]),
        ("porter sync && porter rules", ["porter sync", "porter rules"]),
        ("porter sync || porter rules", ["porter sync", "porter rules"]),
        ("porter rules | head -1 | porter repl", ["porter rules", "porter repl"]),
        ("porter sync & porter rules", ["porter sync", "porter rules"]),
        ("(cd a; porter sync)", ["porter sync"]),
        ("{ porter sync; }", ["porter sync"]),
        ("porter run a.py 2> times > out", ["porter run a.py"]),
        ("porter run a.py -n 2 > out", ["porter run a.py -n 2"]),
        ("porter run a.py > out -n 2", ["porter run a.py -n 2"]),
        ("porter repl < input 2>&1 &> all", ["porter repl"]),
        ("porter repl <<< 'porter sync'", ["porter repl"]),
        ("porter run -c 'a > b; c # d'", ["porter run -c 'a > b; c # d'"]),
        ("porter run -c 'a\nporter sync'", ["porter run -c 'a\nporter sync'"]),
        ('porter run -c "print(\\"a\\")"', ["porter run -c 'print(\"a\")'"]),
        ("porter run -c ''", ["porter run -c ''"]),
        ("A=1 B='2 3' porter sync", ["porter sync"]),
        ("A=1\nporter sync", ["porter sync"]),
        ("for r in 1.27.0 1.28.0; do porter sync $r; done", ["porter sync placeholder"]),
        ("if ! porter sync; then porter doctor; fi", ["porter sync", "porter doctor"]),
        ("while porter sync; do porter rules; done", ["porter sync", "porter rules"]),
        ("f() {\n  porter sync\n}", ["porter sync"]),
        ("time porter sync", ["porter sync"]),
        ("env A=1 porter sync", ["porter sync"]),
        ("timeout 60 porter sync", ["porter sync"]),
        ("B=$(porter build | tail -1)", ["porter build"]),
        ('ls "$(porter build "$(porter sync)")"', ["porter build placeholder", "porter sync"]),
        ('porter sync "${B:-$(porter rules)}"', ["porter sync placeholder", "porter rules"]),
        ("ls `porter build`", ["porter build"]),
        ("diff <(porter rules) b", ["porter rules"]),
        ("cat > a.py <<'END'\nporter sync\nit's\nEND\nporter run a.py", ["porter run a.py"]),
        ("cat <<-END | porter repl\n\ta\n\tEND\nporter rules", ["porter repl", "porter rules"]),
        ('[ $# -eq 0 ] || porter run "$1" "$@"', ["porter run placeholder"]),
        ("python3 bootstrap.py sync", ["porter sync"]),
        ("./bootstrap.py sync", ["porter sync"]),
        ('"$venv/bin/python" -m porter sync', ["porter sync"]),
        ("$PYTHON -P -m porter sync", ["porter sync"]),
        (".venv/bin/porter sync", ["porter sync"]),
        ("ncu --nvtx python -m porter sync", ["porter sync"]),
        ("python3 bootstrap.py test -k a", ["pytest -k a"]),
        ("python -m pytest tests", ["pytest tests"]),
        ("python -m porter_dev.campaigns list", ["campaign list"]),
        ("cd porter; git clone porter; echo porter sync; python porter.py", []),
        ("python -c 'import porter' porter; python -m porter_dev.bench.lanes", []),
    ],
)  # fmt: skip
def test_calls_in_shell_scripts(script: str, found: list[str]) -> None:
    split = [shlex.split(call) for call in found]
    assert [shlex.split(str(call)) for call in calls(script)] == split


def test_a_bad_option_in_a_document_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    text = (ROOT / "README.md").read_text()
    page.write_text(text.replace("porter sync 1", "porter sync --moon 1"))
    (told,) = [told for block in shell_blocks(page) for told in problems(block.source)]
    assert "No such option" in told and "--moon" in told
