"""Fuzz the host twin with libFuzzer, fuzz builds with calls, and replay the fuzzer's findings."""
