"""Test the rules on C that they have never seen: generated programs and other libraries."""
