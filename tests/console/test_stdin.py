"""stdin: reads as in CPython, one text each, end of input, and input during a launch."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from porter.errors import UsageError
from porter.run import Device, Feed, Launch, run
from tests.console.collect import Collected, ended_well, run_live

TEXTS = {
    "empty": b"",
    "one line": b"hello\n",
    "no newline at the end": b"one\ntwo",
    "empty lines": b"\n\nx\n\n",
    "carriage returns": b"a\r\nb\r",
    "not ASCII": "größe\nπ\nlast".encode(),
}

PROGRAMS = {
    "input": """
try:
    while True:
        print(repr(input()))
except EOFError as e:
    print('end', type(e).__name__)
""",
    "prompt": "try:\n    print(repr(input('name? ')))\nexcept EOFError:\n    print('end')",
    "readline": """
import sys
while True:
    line = sys.stdin.readline()
    print(repr(line))
    if not line:
        break
print(repr(sys.stdin.readline()))
""",
    "read all": "import sys\nprint(repr(sys.stdin.read()), repr(sys.stdin.read()))",
    "read some": "import sys\nprint([sys.stdin.read(2) for i in range(4)])",
    "iterate": "import sys\nfor line in sys.stdin:\n    print(repr(line))\nprint('end')",
    "readlines": "import sys\nprint(sys.stdin.readlines())",
    "bytes": "import sys\nprint(sys.stdin.buffer.read(3), sys.stdin.buffer.readline())",
    "mixed": """
import sys
print(repr(sys.stdin.readline()), repr(sys.stdin.read(1)))
try:
    print(repr(input()))
except EOFError:
    print('end')
""",
}


def cpython(program: str, text: bytes) -> bytes:
    command = [sys.executable, "-X", "utf8", "-c", program]
    return subprocess.run(command, input=text, capture_output=True, check=True).stdout


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_cpython(any_device: Device, program: str) -> None:
    texts = list(TEXTS.values())
    result = run(any_device, [PROGRAMS[program]], len(texts), Launch(stdin=texts, stderr=4096))
    got = [(result.stdout[i], result.stderr[i]) for i in range(len(texts))]
    assert got == [(cpython(PROGRAMS[program], text), b"") for text in texts]


@pytest.mark.parametrize("program", PROGRAMS)
def test_as_cpython_while_it_comes(any_device: Device, program: str) -> None:
    for text in TEXTS.values():
        feed, collected = Feed(), Collected()
        if text:
            feed.write(text[:1])

        def write(feed: Feed = feed, text: bytes = text) -> None:
            for byte in text[1:]:
                feed.write(bytes([byte]))
            feed.close()

        writer = threading.Thread(target=write)
        writer.start()
        result = run_live(any_device, PROGRAMS[program], 2, collected, stdin=feed)
        writer.join()
        assert ended_well(any_device, result)
        assert collected.stdout(2) == [cpython(PROGRAMS[program], text)] * 2


def test_each_its_own(any_device: Device) -> None:
    texts = [f"line {i}\n".encode() * (i % 4) for i in range(500)]
    program = "import sys\nprint(len(sys.stdin.readlines()), end='')"
    result = run(any_device, [program], 500, Launch(stdin=texts))
    assert [(g.text, g.count) for g in result.stdout.groups] == [
        (str(i).encode(), 125) for i in range(4)
    ]


def test_end_of_input_ends_a_program(any_device: Device) -> None:
    result = run(any_device, ["print(input('? '))"], 3)
    assert [(g.text, g.count) for g in result.stdout.groups] == [(b"? ", 3)]
    assert b"EOFError" in result.stderr.groups[0].text


def test_a_conversation(any_device: Device) -> None:
    def answer(so_far: Collected) -> None:
        out = so_far.stdout(1)[0]
        while said and out.endswith(said[0][0]):
            _, reply = said.pop(0)
            if reply is None:
                feed.close()
            else:
                feed.write(reply)

    said = [(b"name? ", b"Ada\n"), (b"age? ", b"36\n"), (b"36\nmore? ", None)]
    program = """
print('hello', input('name? '))
print(input('age? '))
try:
    input('more? ')
except EOFError:
    print('bye')
"""
    feed = Feed()
    collected = Collected(then=answer)
    # The program waits for an answer, which the host sends after it has received the prompt.
    result = run_live(any_device, program, 1, collected, stdin=feed, timeout=30.0)
    assert ended_well(any_device, result)
    assert collected.stdout(1) == [b"name? hello Ada\nage? 36\nmore? bye\n"]


def test_a_reader_that_waits_is_interrupted(any_device: Device) -> None:
    collected = Collected()
    result = run_live(any_device, "input('? ')", 2, collected, stdin=Feed(), timeout=0.2)
    assert result.interrupted
    assert all(b"KeyboardInterrupt" in collected.texts[i, "stderr"] for i in range(2))
    stubborn = "while True:\n    try: input()\n    except KeyboardInterrupt: pass"
    result = run(any_device, [stubborn], 1, Launch(stdin=Feed(), timeout=0.1))
    assert result.status.tolist() == [any_device.built.constants["GPUSNEK_STOPPED"]]


def test_poll_says_whether_there_is_input(any_device: Device) -> None:
    program = """
import select, sys
poll = select.poll()
poll.register(sys.stdin, select.POLLIN)
print(len(poll.poll(0)))
sys.stdin.readline()
print(len(poll.poll(0)))
"""
    closed = run(any_device, [program], 1, Launch(stdin=b"x\n"))
    assert closed.stdout[0] == b"1\n1\n"  # the end of the input can be read too
    feed = Feed()
    feed.write(b"x\n")
    assert run(any_device, [program], 1, Launch(stdin=feed)).stdout[0] == b"1\n0\n"


def test_bad_feeds(any_device: Device) -> None:
    with pytest.raises(UsageError, match="capacity: 0"):
        Feed(0)
    feed = Feed(4)
    feed.write(b"abc")
    with pytest.raises(UsageError, match="capacity is 4 bytes"):
        feed.write(b"de")
    feed.close()
    with pytest.raises(UsageError, match="closed"):
        feed.write(b"x")
    program = "import sys\nprint(sys.stdin.read())"
    assert run(any_device, [program], 1, Launch(stdin=feed)).stdout[0] == b"abc\n"
    with pytest.raises(UsageError, match="another launch"):
        run(any_device, [program], 1, Launch(stdin=feed))
