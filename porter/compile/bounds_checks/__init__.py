"""Bounds checks for device code (`--bounds-checks`), inserted into the PTX of each unit.

`assembly` parses a unit's PTX. `coverage` finds the values that a register can have, and omits
checks that an earlier check implies. `lookup` writes the functions that a check calls if the access
is outside the interpreter's own memory. `insertion` writes the check of each access. `step` is the
build's step.
"""
