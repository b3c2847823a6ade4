"""Errors, processes, configuration, command line."""
