"""C programs that the rules have never seen: generated ones, csmith's, and other libraries."""
