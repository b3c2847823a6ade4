"""Run upstream's own ``tests/`` on a build, one interpreter per test."""
