"""Rewrites preprocessed C into C++: facts, the program, rules that return edits, one engine."""
