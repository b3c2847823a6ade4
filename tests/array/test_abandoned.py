"""Abandoned launches, each in a separate process, which must exit cleanly."""

from __future__ import annotations

import subprocess
import sys

import pytest

from porter.run import Device

BEGIN = """
import os, sys, threading, time
from porter import InterpreterArray
from porter.run.open import open_device
device = open_device(sys.argv[1], sys.argv[2])
def endless(n=64):
    array = InterpreterArray(n, device=device)
    array.eval("threadIdx")
    return array, array.exec("x = [0] * 50\\nwhile True:\\n    x = [sum(x)] * 50", wait=False)
"""


def run(device: Device, program: str, code: int = 0) -> subprocess.CompletedProcess[str]:
    target = "cuda" if device.on_gpu else "host"
    command = [sys.executable, "-c", BEGIN + program, str(device.built.folder), target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == code, (done.returncode, done.stdout, done.stderr)
    return done


def test_an_array_that_is_deleted(any_device: Device) -> None:
    program = """
import gc
for _ in range(5):
    array, call = endless()
    del array, call
    gc.collect()
array = InterpreterArray(64, device=device)
print(int(array.eval("threadIdx").sum()), threading.active_count())
"""
    assert run(any_device, program).stdout == "2016 1\n"


def test_a_call_alone_keeps_its_array(any_device: Device) -> None:
    program = """
import gc
array = InterpreterArray(64, device=device)
call = array.eval("threadIdx * 2", wait=False)
del array
gc.collect()
print(int(call.result().sum()))
"""
    assert run(any_device, program).stdout == "4032\n"


def test_python_that_ends(any_device: Device) -> None:
    run(any_device, "array, call = endless()\nprint('bye')")
    run(any_device, "array, call = endless()\nsys.exit(3)", 3)


def test_an_exception(any_device: Device) -> None:
    done = run(any_device, "array, call = endless()\n1 / 0", 1)
    assert done.stderr.rstrip().endswith("ZeroDivisionError: division by zero")


def test_a_daemon_thread(any_device: Device) -> None:
    program = """
def work():
    array, call = endless()
    call.result()
threading.Thread(target=work, daemon=True).start()
time.sleep(2)
"""
    run(any_device, program)


def test_a_daemon_thread_that_goes_on_starting(any_device: Device) -> None:
    program = """
def work():
    array = InterpreterArray(64, device=device)
    while True:
        array.exec("x = threadIdx")
threading.Thread(target=work, daemon=True).start()
time.sleep(1)
"""
    run(any_device, program)


def test_what_does_not_stop_keeps_its_memory(any_device: Device) -> None:
    # A product of big numbers is one long loop of C without a poll.
    heap, exponent = ("192K", 40000) if any_device.on_gpu else ("2M", 250000)
    program = f"""
array = InterpreterArray(4, device=device, heap="{heap}")
array.exec("x = 7 ** {exponent}")
call = array.exec("while True: y = x * x", wait=False)
del array, call
print("left")
"""
    run(any_device, program)


def test_a_fork(any_device: Device) -> None:
    if any_device.on_gpu:
        pytest.skip("CUDA does not survive a fork")
    program = """
from porter.errors import LaunchFailed
array, call = endless()
child = os.fork()
if child == 0:
    try:
        call.result()
    except LaunchFailed as error:
        os._exit(7 if "forked" in str(error) else 8)
    os._exit(9)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
call.interrupt()
try:
    call.result()
except Exception as error:
    print(type(error).__name__)
"""
    assert run(any_device, program).stdout == "7\nInterpreterError\n"
