"""Fuzzing with calls: everything that a build can call, with hostile arguments, among neighbours.

Needs numpy, attrs and cattrs (CuPy where the target is cuda), and a finished build: no compilers.
"""
