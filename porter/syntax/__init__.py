"""Parse preprocessed units into trees of nodes, which the rewrite stage's rules walk."""

from porter.syntax.node import Node, Span, Unit
from porter.syntax.parser import parse_unit

__all__ = ["Node", "Span", "Unit", "parse_unit"]
