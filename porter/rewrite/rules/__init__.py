"""The rules, in their order: of two edits of the same text the earlier rule's is the inner one."""

from __future__ import annotations

from porter.rewrite.rules.arrays import Arrays
from porter.rewrite.rules.base import Example, Rule
from porter.rewrite.rules.builtins import Builtins
from porter.rewrite.rules.casts import Casts
from porter.rewrite.rules.cycles import Cycles
from porter.rewrite.rules.decay import Decay
from porter.rewrite.rules.device import Device
from porter.rewrite.rules.enums import Enums
from porter.rewrite.rules.externs import Externs
from porter.rewrite.rules.heads import Heads
from porter.rewrite.rules.initialisers import Initialisers
from porter.rewrite.rules.jumps import Jumps
from porter.rewrite.rules.keywords import Keywords
from porter.rewrite.rules.literals import Literals
from porter.rewrite.rules.noreturn import NoReturn
from porter.rewrite.rules.recursion import Recursion
from porter.rewrite.rules.returns import Returns
from porter.rewrite.rules.signs import Signs
from porter.rewrite.rules.sizes import Sizes
from porter.rewrite.rules.state import State
from porter.rewrite.rules.strings import Strings
from porter.rewrite.rules.tags import Tags
from porter.rewrite.rules.tentative import Tentative
from porter.rewrite.rules.types import Types
from porter.rewrite.rules.unknown import Unknown
from porter.rewrite.rules.unwinding import Unwinding
from porter.rewrite.rules.varargs import Varargs
from porter.rewrite.rules.volatiles import Volatiles

RULES: tuple[Rule, ...] = (
    Unknown(),
    Keywords(),
    Builtins(),
    NoReturn(),
    Volatiles(),
    Types(),
    Heads(),
    Externs(),
    Tags(),
    Tentative(),
    State(),
    Strings(),
    Decay(),
    Initialisers(),
    Literals(),
    Arrays(),
    Enums(),
    Sizes(),
    Signs(),
    Unwinding(),
    Returns(),
    Recursion(),
    Casts(),
    Varargs(),
    Cycles(),
    Jumps(),
    Device(),
)

__all__ = ["RULES", "Example", "Rule"]
