"""The workflow files: valid YAML, existing commands and options, and scripts that parse."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from porter.base import paths
from tests.command_lines import PLACEHOLDER, calls, problems

ROOT = paths.templates_dir().parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
SCRIPTS = [*WORKFLOWS, ROOT / ".ci" / "run"]
CALLERS = [file for file in SCRIPTS if "bootstrap.py" in file.read_text()]  # of porter


def steps(workflow: Path) -> Iterator[dict[str, Any]]:
    """Yield every step of every job."""
    document = yaml.safe_load(workflow.read_text())
    for job in document["jobs"].values():
        yield from job["steps"]


def scripts(file: Path) -> list[str]:
    """Return the shell scripts of a workflow, or the script itself.

    A placeholder replaces each expression of the workflow.
    """
    texts = [step.get("run", "") for step in steps(file)] if file.suffix else [file.read_text()]
    return [re.sub(r"\$\{\{.*?\}\}", PLACEHOLDER, text) for text in texts if text]


def test_there_are_workflows() -> None:
    assert {file.stem for file in WORKFLOWS} == {"campaigns", "ci", "site", "upstream", "wheels"}


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_is_whole(workflow: Path) -> None:
    document = yaml.safe_load(workflow.read_text())
    assert document[True]  # YAML reads the key `on` as a truth value
    assert document["permissions"]
    for step in steps(workflow):
        assert ("uses" in step) != ("run" in step), step
        if "uses" in step:
            assert re.fullmatch(r"[\w-]+/[\w-]+@(release/)?v\d+(\.\d+)*", step["uses"]), step[
                "uses"
            ]
    known = set(re.findall(r"^ +(?:- )?id: (\w+)", workflow.read_text(), re.MULTILINE))
    assert set(re.findall(r"steps\.(\w+)\.outputs", workflow.read_text())) <= known
    for job in document["jobs"].values():
        needs = job.get("needs", [])
        assert {needs} if isinstance(needs, str) else set(needs) <= set(document["jobs"])


@pytest.mark.parametrize("file", SCRIPTS, ids=lambda path: path.name)
def test_scripts_parse(file: Path) -> None:
    assert scripts(file)
    for text in scripts(file):
        done = subprocess.run(["bash", "-n"], input=text, text=True, capture_output=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("file", CALLERS, ids=lambda path: path.name)
def test_porter_has_these_commands(file: Path) -> None:
    assert [call for text in scripts(file) for call in calls(text)]
    assert [problem for text in scripts(file) for problem in problems(text)] == []


def test_the_weekly_check_runs_and_opens_a_pull_request() -> None:
    text = (ROOT / ".github" / "workflows" / "upstream.yml").read_text()
    document = yaml.safe_load(text)
    assert document[True]["schedule"][0]["cron"]
    job = document["jobs"]["new-release"]
    (request,) = (s for s in job["steps"] if "create-pull-request" in s.get("uses", ""))
    for path in request["with"]["add-paths"].split():
        assert (ROOT / path).exists(), path
    assert (ROOT / request["with"]["body-path"]).exists()


@pytest.mark.parametrize(
    ("report", "code"), [("| a patch |\n", 0), ("## What failed\n", 22), ("", 10)]
)
def test_the_development_job_ends_with_the_exit_code(
    tmp_path: Path, report: str, code: int
) -> None:
    document = yaml.safe_load((ROOT / ".github" / "workflows" / "upstream.yml").read_text())
    job = document["jobs"]["development"]
    assert job["permissions"] == {"contents": "read"}
    (script,) = (step["run"] for step in job["steps"] if "regress" in step.get("run", ""))
    assert "regress master" in script
    for option in ("--record", "--update-baseline", "--strict"):
        assert option not in script
    # A fake bootstrap.py writes the report, or fails before it can.
    write = f"open('development.md', 'w').write({report!r})" if report else "pass"
    (tmp_path / "bootstrap.py").write_text(f"import sys\n{write}\nsys.exit({code})\n")
    summary = tmp_path / "summary.md"
    summary.touch()
    done = subprocess.run(
        ["bash", "-e", "-c", script],
        cwd=tmp_path,
        env={**os.environ, "GITHUB_STEP_SUMMARY": str(summary)},
    )
    assert (done.returncode, summary.read_text()) == (code, report)
