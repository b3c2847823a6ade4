"""Devices that run interpreters: the protocol (base), the host twin, a GPU, several of them."""
