"""Output and input of interpreters: rings, feeds, grouping of equal outputs, display."""
