"""Fences in device code: checks of memory accesses, put into the PTX that nvcc makes of a unit.

`assembly` reads a unit's PTX, `addresses` says what a register can hold, `coverage` which accesses
an earlier check covers already, `checks` and `arenas` write the check of an access, `lookup` the
functions that it asks where the access is not to the interpreter's own memory, `unit` puts them
together, and `step` is the build's step.
"""
