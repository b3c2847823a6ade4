"""Fuzz builds with calls: every function that a build has, with hostile arguments.

Each program runs among sentinels, which must not be affected. Needs numpy, attrs and cattrs (CuPy
for the target cuda) and a finished build, but no compilers.
"""
