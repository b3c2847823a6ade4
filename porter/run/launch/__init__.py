"""A single launch: its specification (spec), plan, record, templates, start, wait and result."""
