"""The runners: an interpreter per process, the host twin, and the GPU."""
