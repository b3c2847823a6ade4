"""A simulated warp: how often its lanes disagree, and where, without a GPU."""
