"""Generated Python programs: interpreted, as machine code, and by CPython."""
