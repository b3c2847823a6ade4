"""Bounds checks for device code (`--fences`), inserted into the PTX that nvcc makes of a unit.

`assembly` parses a unit's PTX. `addresses` finds the values that a register can have. `coverage`
omits checks that an earlier check implies. `checks` and `arenas` write the check of an access.
`lookup` writes the functions that a check calls if the access is outside the interpreter's own
memory. `unit` combines them, and `step` is the build's step.
"""
