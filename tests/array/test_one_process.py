"""Devices and arrays in a forked child of their process, and pickling them."""

from __future__ import annotations

import contextlib
import copy
import os
import pickle
import signal
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from porter import InterpreterArray, evaluate
from porter.errors import InterpreterError, LaunchFailed, WrongType
from porter.run import Device, open_several, run
from porter.run.built import open_build

PATIENCE = 20  # seconds until the child of a test is ended


@pytest.fixture
def array(any_device: Device) -> Iterator[InterpreterArray]:
    if any_device.on_gpu:
        pytest.skip("CUDA does not survive a fork")
    with InterpreterArray(2, device=any_device) as array:
        array.exec("print(threadIdx)")
        yield array


USES: dict[str, Callable[[InterpreterArray], object]] = {
    "exec": lambda array: array.exec("1"),
    "eval": lambda array: array.eval("1"),
    "get": lambda array: array.get("threadIdx"),
    "set": lambda array: array.set("x", 1),
    "bind": lambda array: array.bind("x", bytearray(4)),
    "unbind": lambda array: array.unbind("x"),
    "compile": lambda array: array.compile("1"),
    "trim": lambda array: array.trim(),
    "wait": lambda array: array.wait(),
    "stdout": lambda array: array.stdout,
    "interrupt": lambda array: array.interrupt(),
    "with": lambda array: array.__enter__(),
    "file_system": lambda array: array.file_system(0),
    "another array": lambda array: InterpreterArray(1, device=array.device),
    "run": lambda array: run(array.device, ["1"], 1),
    "evaluate": lambda array: evaluate(["1"], [((), 1)], device=array.device),
}


def in_child(work: Callable[[], object]) -> str:
    """Return message and hint of the LaunchFailed that `work` raises in a forked child, or ""."""
    readable, writable = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(PATIENCE)
        text = ""
        try:
            work()
        except LaunchFailed as error:
            text = f"{error.message}; {error.hint}"
        except BaseException as error:
            text = repr(error)
        os.write(writable, text.encode())
        os._exit(0)
    os.close(writable)
    with os.fdopen(readable, "rb") as file:
        said = file.read().decode()
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    return said


@pytest.mark.parametrize("use", USES)
def test_a_fork_cannot_use_it(array: InterpreterArray, use: str) -> None:
    said = in_child(lambda: USES[use](array))
    assert "this process was forked from the one that made it" in said and "spawn" in said
    assert array.eval("threadIdx").tolist() == [0, 1]  # the parent continues


def test_a_fork_while_another_thread_holds_the_array(array: InterpreterArray) -> None:
    call = array.exec("while True: pass", wait=False)
    for use in (array.wait, call.result, call.done, call.interrupt, lambda: array.eval("1")):
        assert "this process was forked" in in_child(use)
    call.interrupt()
    with pytest.raises(InterpreterError):
        call.result()


def test_a_fork_can_forget_it(array: InterpreterArray) -> None:
    def leave() -> None:
        with contextlib.ExitStack() as stack:
            stack.push(array)
        assert array.closed and len(array) == 2 and "closed" in repr(array)

    assert in_child(leave) == ""
    assert not array.closed and array.eval("1").tolist() == [1, 1]


def test_a_fork_makes_its_own(array: InterpreterArray) -> None:
    folder = array.device.built.folder

    def own() -> None:
        with InterpreterArray(2, build=folder, target="host") as other:
            assert other.eval("threadIdx").tolist() == [0, 1]

    assert in_child(own) == ""


def test_several_devices_are_one_processs(array: InterpreterArray) -> None:
    several = open_several(array.device.built, ["host", "host"])
    assert "this process was forked" in in_child(lambda: run(several, ["1"], 4))
    assert run(several, ["print(1)"], 4).stdout[3] == b"1\n"


@pytest.mark.parametrize("do", [pickle.dumps, copy.copy, copy.deepcopy])
def test_what_lives_here_is_not_pickled(array: InterpreterArray, do: Callable[..., Any]) -> None:
    call = array.exec("1", wait=False)
    for one in (array, array.device, call, open_several(array.device.built, ["host"])):
        with pytest.raises(WrongType, match=type(one).__name__) as caught:
            do(one)
        assert "Each process opens a device" in str(caught.value.hint)
    assert isinstance(caught.value, TypeError)
    call.result()
    assert array.eval("threadIdx").tolist() == [0, 1]


def test_what_refers_to_a_device_is_not_pickled(array: InterpreterArray) -> None:
    for one in (array.exec("print(1)"), array.compile("1"), array.stdout):
        with pytest.raises(WrongType, match="cannot be pickled"):
            pickle.dumps(one)


def test_errors_and_builds_are_pickled(array: InterpreterArray) -> None:
    with pytest.raises(InterpreterError) as caught:
        array.exec("1 // 0")
    error = pickle.loads(pickle.dumps(caught.value))
    assert type(error) is InterpreterError and error.message == caught.value.message
    assert (error.exceptions, error.outcome) == ((), None)
    built = open_build(array.device.built.folder)
    assert built.flag["EXEC"] and pickle.loads(pickle.dumps(built)) == built
