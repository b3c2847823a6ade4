"""Scores of answers with tests in all shapes, through the functions that trainers call."""

from __future__ import annotations

import asyncio
import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from porter import rewards
from porter.errors import QueueFull, UsageError, WrongType
from porter.evaluation import Cases, CaseStatus, Judging
from porter.evaluation.batching import Batcher
from porter.rewards import Reward, Scorer
from porter.rewards import scorer as scorer_module
from porter.run import open_device

if TYPE_CHECKING:
    from porter.pipeline import Build

ADD = "```python\ndef add(a, b):\n    return a + b\n```"
CALLS = [((1, 2), 3), ((5, 5), 10)]
SHAPES: list[Any] = [
    {"cases": CALLS, "entry": "add"},
    {"cases": [{"args": [1, 2], "expected": 3}], "entry": "add"},
    "assert add(1, 2) == 3\nassert add(0, 0) == 0",
    ["assert add(1, 2) == 3", "assert add(5, 5) == 10"],
    {"test": "def check(candidate):\n    assert candidate(1, 2) == 3", "entry_point": "add"},
    {"test_list": ["assert add(1, 2) == 3"], "test_setup_code": "import math"},
    {"inputs": [[1, 2], [5, 5]], "outputs": [[3], [10]], "fn_name": "add"},
    {"inputs": ["1\n2"], "outputs": ["3"], "fn_name": "add"},
    {"input_output": json.dumps({"inputs": [[1, 2]], "outputs": [3], "fn_name": "add"})},
    {
        "public_test_cases": [{"input": "1\n2", "output": "3", "testtype": "functional"}],
        "metadata": {"func_name": "add"},
    },
    "import unittest\nclass T(unittest.TestCase):\n"
    "    def test(self): self.assertEqual(add(1, 2), 3)",
]


@pytest.mark.parametrize("as_json", [False, True])
@pytest.mark.parametrize("tests", SHAPES)
def test_every_shape(scorer: Scorer, tests: Any, as_json: bool) -> None:
    given = json.dumps(tests) if as_json and isinstance(tests, dict) else tests
    right = scorer.judge(ADD, given)
    assert (right.score, right.reason, right.solved) == (1.0, "", True)
    wrong = scorer.judge(ADD.replace("a + b", "a - b"), given)
    assert wrong.score == 0.0 and not wrong.solved and "case 0" in wrong.reason


def test_programs_that_print(scorer: Scorer) -> None:
    tests = {"inputs": ["1 2\n", "3 4\n"], "outputs": ["3\n", "7\n"]}
    answer = "print(sum(map(int, input().split())))"
    assert scorer.judge(answer, tests).score == 1.0
    assert scorer.judge("print(3)", tests).score == 0.5
    assert scorer.judge("print(3)", [{"stdin": "", "stdout": "3"}]).score == 1.0


def test_a_body_continues_its_prompt(scorer: Scorer) -> None:
    tests = {
        "prompt": 'def add(a, b):\n    """Add."""\n',
        "test": "def check(candidate):\n    assert candidate(1, 2) == 3",
        "entry_point": "add",
    }
    assert scorer.judge("    return a + b\n", tests).score == 1.0
    assert scorer.judge(ADD, tests).score == 1.0


@pytest.mark.parametrize(
    ("answer", "status", "reason"),
    [
        ("def add(a, b): return a", CaseStatus.WRONG, "passed 0 of 2; case 0: WRONG"),
        ("def add(a, b): raise KeyError(a)", CaseStatus.RAISED, "RAISED (KeyError: 1)"),
        ("def add(a, b):\n while True: pass", CaseStatus.OUT_OF_STEPS, "OUT_OF_STEPS"),
        ("def add(a, b): return [0] * 10 ** 12", CaseStatus.OUT_OF_MEMORY, "OUT_OF_MEMORY"),
        ("def add(a, b) return", CaseStatus.SYNTAX_ERROR, "SYNTAX_ERROR"),
        ("I do not know.", CaseStatus.SYNTAX_ERROR, "SYNTAX_ERROR"),
        ("", CaseStatus.NO_ENTRY, "NO_ENTRY"),
        ("import turtle\ndef add(a, b): return a + b", CaseStatus.UNSUPPORTED, "turtle"),
        ("import os\nos.system('')", CaseStatus.UNSUPPORTED, "system"),
        ("raise SystemExit(0)", CaseStatus.EXITED, "EXITED"),
        ("\ud800", CaseStatus.RAISED, "NameError"),
    ],
)
def test_every_answer_ends_with_a_reason(
    scorer: Scorer, answer: str, status: CaseStatus, reason: str
) -> None:
    found = scorer.judge(answer, {"cases": CALLS, "entry": "add"})
    assert found.score == 0.0 and found.statuses[0] == status
    assert reason in found.reason
    assert found.unsupported == (status == CaseStatus.UNSUPPORTED)


@pytest.mark.parametrize(
    "tests", [None, 5, b"x", {}, {"inputs": [1], "outputs": []}, [], [5], {"cases": []}]
)
def test_wrong_tests_raise(scorer: Scorer, tests: Any) -> None:
    """No answer can be right then, so a score would hide the mistake."""
    with pytest.raises((UsageError, WrongType)):
        scorer.judge(ADD, tests)


WRONG = "def add(a, b): return 0\n"
CHECK = {
    "test": "def check(candidate):\n    assert candidate(1, 2) == 3\n",
    "entry_point": "add",
}


@pytest.mark.parametrize(
    "tests",
    [
        str({"inputs": [[1, 2]], "outputs": [3], "fn_name": "add"}),
        '{"inputs": [[1, 2]], "outputs": [3],}',
        str([((1, 2), 3)]),
        "42",
        "add(1, 2) == 4",
        "null",
        "It adds.",
        "",
        " ",
        "# nothing",
        ["", ""],
        {"test_list": []},
        {"test_list": [""]},
        {"test": "", "entry_point": "add"},
        "[" * 5000 + "]" * 5000,
        "assert add(1, 2) ==",
        "x = 1 # " + "x" * (1 << 20),
        {"inputs": ["1"], "outputs": [None]},
        {"cases": [{"stdin": "1", "stdout": None}]},
        [{"stdin": "1", "expected": None}],
        [{"stdin": "1"}],
    ],
)
def test_texts_that_check_nothing_raise(scorer: Scorer, tests: Any) -> None:
    """Every answer would pass them."""
    with pytest.raises(UsageError, match="tests"):
        scorer.judge(WRONG, tests)


@pytest.mark.parametrize(
    ("end", "tests"),
    [
        ("@lambda f: lambda c: None", CHECK),
        ("@lambda f: lambda *a: None", "def test_a():\n    assert add(1, 2) == 3"),
        ("if 0: \\", "assert add(1, 2) == 3"),
        ("'''", "assert add(1, 2) == 3  # '''"),
        ('"""', 'assert add(1, 2) == 3  # """'),
        ("f('''", "assert add(1, 2) == 3  # ''')"),
        ("x = (", "assert add(1, 2) == 3, (1)"),
        ("class T:", "assert add(1, 2) == 3"),
        ("try:", "assert add(1, 2) == 3"),
        ("raise SystemExit(0)", CHECK),
        ("def check(f): pass", CHECK),
    ],
)
def test_an_answer_cannot_swallow_its_tests(scorer: Scorer, end: str, tests: Any) -> None:
    assert scorer.judge(WRONG + end, tests).score == 0.0
    assert scorer.judge(f"```python\n{WRONG}{end}\n```", tests).score == 0.0


@pytest.mark.parametrize(
    "tests",
    [
        "def test_add():\n    assert add(1, 2) == 3",
        "class TestAdd:\n    def test_add(self):\n        assert add(1, 2) == 3",
        "def run():\n    assert add(1, 2) == 3\ndef test_a():\n    run()\ntest_a()",
        "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n"
        "        self.assertEqual(add(1, 2), 3)\nif __name__ == '__main__':\n    unittest.main()\n",
    ],
)
def test_tests_are_run_as_pytest_runs_them(scorer: Scorer, tests: str) -> None:
    assert scorer.judge(ADD, tests).score == 1.0
    assert scorer.judge(WRONG, tests).score == 0.0


@pytest.mark.parametrize(
    "answer",
    [
        "    return twice(a) // 2 + b",
        "return twice(a) // 2 + b",
        "c = twice(a) // 2\n    return c + b",
        "```python\n    c = twice(a) // 2\n    return c + b\n```",
        "    def add(x): return x\n    return add(twice(a) // 2) + b",
        "def add(a: List[int], b):\n    return twice(a) // 2 + b",
    ],
)
def test_answers_continue_their_prompt(scorer: Scorer, answer: str) -> None:
    prompt = (
        "from typing import List\n\n\ndef twice(x):\n    return 2 * x\n\n\n"
        'def add(a, b):\n    """Add."""\n'
    )
    assert scorer.judge(answer, {"prompt": prompt, **CHECK}).score == 1.0


def test_wrong_arguments_of_a_scorer(built: Build) -> None:
    for options in ({"timeout": "3"}, {"timeout": 0}, {"timeout": float("nan")}, {"partial": 1},
                    {"steps": [1, 2]}, {"deadline": [1.0]}, {"keep": "values"}):  # fmt: skip
        with pytest.raises((UsageError, WrongType)):
            Scorer(build=built.folder, target="host", **options)


def test_a_list_that_can_mean_both_is_refused(scorer: Scorer) -> None:
    texts = ["assert add(1, 2) == 3", "assert add(1, 2) == 4"]
    with pytest.raises(UsageError, match="as many texts as answers"):
        scorer.score([ADD, ADD], texts)
    assert scorer.score([ADD, ADD], {"test_list": texts}).tolist() == [0.0, 0.0]
    assert scorer.score([ADD, ADD], [*texts, texts[0]]).tolist() == [0.0, 0.0]


def test_a_forked_process_is_refused(scorer: Scorer) -> None:
    reading, writing = os.pipe()
    if (child := os.fork()) == 0:  # pragma: no cover
        try:
            scorer.judge(ADD, CHECK)
            os.write(writing, b"judged")
        except UsageError as error:
            os.write(writing, str(error).encode())
        os._exit(0)
    os.waitpid(child, 0)
    os.close(writing)
    assert os.read(reading, 100) == b"this scorer belongs to the process that made it"
    os.close(reading)


def test_scores_are_an_array(scorer: Scorer) -> None:
    answers = [ADD, "def add(a, b): return 3", "def add(a, b): return a"]
    shared = {"cases": CALLS, "entry": "add"}
    assert scorer.score(answers, shared).tolist() == [1.0, 0.5, 0.0]
    assert scorer.score(answers, [shared] * 3).dtype == np.float64
    solves = ["def solve(a, b): return a + b", "def solve(a, b): return 3"]
    assert scorer.score(solves, CALLS).tolist() == [1.0, 0.5]
    own = [[((1, 2), 3)], [((1, 2), 4)]]
    assert scorer.score(solves, own).tolist() == [1.0, 0.0]


def test_all_or_nothing(built: Build) -> None:
    with Scorer(build=built.folder, target="host", partial=False) as strict:
        assert strict.score(["def solve(a, b): return 3"], [CALLS]).tolist() == [0.0]


def test_as_verl_calls_it(scorer: Scorer) -> None:
    """The keywords are those of verl 0.9's reward managers."""
    one = scorer.compute_score(
        data_source="code",
        solution_str=ADD,
        ground_truth=json.dumps(SHAPES[6]),
        extra_info={"num_turns": 1, "entry_point": "add"},
        reward_router_address=None,
    )
    assert one == {"score": 1.0, "acc": 1.0, "reason": "", "judged": 1.0}
    many = scorer.compute_score_batched(
        data_sources=np.array(["code"] * 3, object),
        solution_strs=[ADD, "def add(a, b): return 3", "no"],
        ground_truths=[SHAPES[0]] * 3,
        extra_infos=np.array([{}] * 3, object),
    )
    assert [found["score"] for found in many] == [1.0, 0.5, 0.0]

    async def awaited() -> list[dict[str, Any]]:
        calls = [scorer.compute_score_async("code", ADD, tests) for tests in SHAPES]
        return await asyncio.gather(*calls)

    assert [found["score"] for found in asyncio.run(awaited())] == [1.0] * len(SHAPES)


def test_as_trl_calls_it(scorer: Scorer) -> None:
    """The arguments are those of TRL 1.16's GRPOTrainer."""
    function = scorer.reward_function("ground_truth")
    completions = [[{"role": "assistant", "content": text}] for text in (ADD, "no")]
    found = function(
        prompts=["p", "p"],
        completions=completions,
        completion_ids=[[1], [2]],
        ground_truth=[SHAPES[2], SHAPES[2]],
        trainer_state=object(),
    )
    assert found == [1.0, 0.0]
    assert function.__name__ == "porter_reward"
    with pytest.raises(UsageError, match="no column 'ground_truth'"):
        function(prompts=["p"], completions=["x"], tests=["y"])


def test_late_answers_are_not_judged(built: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    with Scorer(build=built.folder, target="host", timeout=0.3) as impatient:
        release = threading.Event()
        real = Batcher._judge

        def slow(self: Batcher, batch: Any) -> None:
            release.wait(20)
            real(self, batch)

        monkeypatch.setattr(Batcher, "_judge", slow)
        begun = time.monotonic()
        found = impatient.judge_all(["def solve(): return 1"] * 3, [[((), 1)]] * 3)
        assert time.monotonic() - begun < 10
        assert found == [Reward(0.0, "not judged within 0.3 s", judged=False)] * 3
        assert impatient.reward_function()(completions=["x"], tests=[[((), 1)]]) == [None]
        release.set()


def test_threads_share_launches(scorer: Scorer, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    real = Batcher._judge

    def noted(self: Batcher, batch: Any) -> None:
        sizes.append(len(batch))
        real(self, batch)

    monkeypatch.setattr(Batcher, "_judge", noted)
    found: dict[int, Reward] = {}

    def ask(k: int) -> None:
        found[k] = scorer.judge(f"def solve(): return {k}", [((), k)])

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(100)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 100 and all(one.solved for one in found.values())
    assert sum(sizes) == 100 and len(sizes) < 100


def test_batches_keep_apart_what_differs(built: Build) -> None:
    """Options and kinds of cases differ; each request gets its own rows."""
    device = open_device(built.folder, "host")
    batcher = Batcher(device, wait=0.05)
    hows = [Judging(steps=1000), Judging(steps=100_000)]
    spin = "def solve(): return sum(1 for _ in range(3000))"
    text = Cases.of([{"stdin": "", "stdout": "5\n"}])
    waiting = [
        (batcher.submit(spin, [((), 3000)], hows[k % 2]), batcher.submit("print(5)", text, hows[0]))
        for k in range(10)
    ]
    for k, (call, whole) in enumerate(waiting):
        wanted = CaseStatus.PASSED if k % 2 else CaseStatus.OUT_OF_STEPS
        assert call.result(60).statuses == (wanted,)
        assert whole.result(60).statuses == (CaseStatus.PASSED,)
    batcher.close()
    with pytest.raises(UsageError, match="closed"):
        batcher.submit(spin, [((), 1)], hows[0])
    device.close()


def test_a_full_queue_refuses(built: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    device = open_device(built.folder, "host")
    release = threading.Event()
    monkeypatch.setattr(Batcher, "_judge", lambda self, batch: release.wait(20) and None)
    batcher = Batcher(device, wait=0, batches=1, room=2)
    how = Judging()
    first = batcher.submit("x", [((), 1)], how)
    while batcher.depth:
        time.sleep(0.001)
    second = batcher.submit("x", [((), 1)], how)
    batcher.submit("x", [((), 1)], how)
    with pytest.raises(QueueFull, match="2 programs wait"):
        batcher.submit("x", [((), 1)], how)
    assert batcher.running == 1 and not first.done()
    release.set()
    batcher.close(drain=False)
    assert second.cancelled() or not second.done()


def test_what_the_device_raises_reaches_all(built: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any, **__: Any) -> Any:
        raise UsageError("no device")

    with Scorer(build=built.folder, target="host") as broken:
        monkeypatch.setattr("porter.evaluation.batching.judgements", fails)
        with pytest.raises(UsageError, match="no device"):
            broken.score(["x", "y"], [[((), 1)], [((), 1)]])


def test_the_modules_functions(built: Build, monkeypatch: pytest.MonkeyPatch) -> None:
    with Scorer(build=built.folder, target="host") as own:
        monkeypatch.setattr(scorer_module, "_default", own)
        assert rewards.score(["def solve(): return 1"], [((), 1)]).tolist() == [1.0]
        assert rewards.compute_score("d", ADD, SHAPES[0])["score"] == 1.0
        assert rewards.compute_score_batched(["d"], [ADD], [SHAPES[0]])[0]["acc"] == 1.0
        assert rewards.reward_function(completions=[ADD], tests=[SHAPES[0]]) == [1.0]
        awaited = rewards.compute_score_async("d", ADD, SHAPES[0])
        assert asyncio.run(awaited)["score"] == 1.0


def test_the_fallback_judges_what_interpreters_cannot(built: Build) -> None:
    answer = "```python\nimport _thread\ndef add(a, b):\n    return a + b\n```"
    tests = {"cases": CALLS, "entry": "add"}
    with Scorer(build=built.folder, target="host", fallback="cpython") as scorer:
        found = scorer.judge(answer, tests)
        assert (found.score, found.in_cpython, found.unsupported, found.steps) == (
            1,
            True,
            False,
            0,
        )
        assert not scorer.judge(ADD, tests).in_cpython
        assert scorer.judge(answer, "assert add(1, 2) == 3").score == 1
        wrong = scorer.judge(answer.replace("+", "-"), tests)
        assert (wrong.score, wrong.reason) == (0, "passed 0 of 2; case 0: WRONG")
        refused = scorer.judge(answer.replace("_thread", "_thread, socket"), tests)
        assert refused.unsupported and "could not import _thread" in refused.reason
    with Scorer(build=built.folder, target="host") as scorer:
        assert scorer.judge(answer, tests).unsupported
