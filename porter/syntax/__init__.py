"""Reads a preprocessed unit into a tree of nodes that rules can walk."""

from porter.syntax.node import Node, Unit
from porter.syntax.parse import parse_unit

__all__ = ["Node", "Unit", "parse_unit"]
