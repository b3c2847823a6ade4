"""What interpreters run on: the protocol (base), the host twin, a GPU."""
