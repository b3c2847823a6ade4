"""Test the JIT tier with generated Python programs: interpreted, as native code, in CPython."""
