"""What interpreters read and write: rings, feeds, grouping equal outputs, showing them."""
