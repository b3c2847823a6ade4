"""The allocation-failure sweep: fail every single allocation of programs once."""
