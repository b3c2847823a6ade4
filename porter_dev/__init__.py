"""Development tools of this repository: test tiers, campaigns, shared test builds, planted faults.

The wheel does not contain this package. `bootstrap.py`, `.ci/run`, `tests/conftest.py` and the
forge workflows call it. docs/how-to/testing.md is its manual.
"""
