"""Let a release's own ``tests/run-tests.py`` decide, so that porter copies none of its rules."""
