"""The allocation-failure sweep: programs, each with every one of its allocations failing once."""
