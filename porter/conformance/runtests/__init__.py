"""Asks a release's own ``tests/run-tests.py`` what it would do, so that no list of it is copied."""
