"""A suite of programs, timed on many interpreters beside what a user has instead."""
