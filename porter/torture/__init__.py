"""C programs that the rules have never seen: generated ones, and other libraries."""
