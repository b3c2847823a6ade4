"""Parse preprocessed units into trees of nodes, which the rewrite stage's rules walk."""

from porter.syntax.node import Node, Unit
from porter.syntax.parse import parse_unit
from porter.syntax.span import Span

__all__ = ["Node", "Span", "Unit", "parse_unit"]
