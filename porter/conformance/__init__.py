"""Runs upstream's own ``tests/`` on a build, one interpreter a test."""
