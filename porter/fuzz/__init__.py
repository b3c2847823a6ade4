"""Fuzzing the host twin with libFuzzer, and replaying what the fuzzer found."""
