"""The rules in their order, with the reason for each place.

All rules read the original unit. Two rules *meet* if both edit the same range or insert at the same
offset. The earlier rule's edit of a range is nested in that of the later rule. The earlier rule's
insertion comes first in the text. `after` names the earlier rules that a rule meets. The opposite
order would give different C++; tests/rewrite/cases/ shows each pair (MEETS).
"""

from __future__ import annotations

from porter.rewrite.rule import Place, Rule
from porter.rewrite.rules.conversions import Casts, Enums, Signs, SizeOf
from porter.rewrite.rules.cycles import Cycles
from porter.rewrite.rules.declarations import Externs, Heads, Keywords, Tags, Tentative, Types
from porter.rewrite.rules.device import DeviceMarks, Reentry, Rolled
from porter.rewrite.rules.initialisers import Decay, Initialisers, Strings
from porter.rewrite.rules.isolation import Sandbox, Targets
from porter.rewrite.rules.jumps import Jumps
from porter.rewrite.rules.limits import Polls, Recursion
from porter.rewrite.rules.quantities import Quantities
from porter.rewrite.rules.runtime_calls import Builtins, Divisions
from porter.rewrite.rules.state import State, Volatiles
from porter.rewrite.rules.temporaries import Arrays, Literals
from porter.rewrite.rules.unknown import Unknown
from porter.rewrite.rules.unwinding import NoReturn, Returns, Unwinding
from porter.rewrite.rules.varargs import Varargs

ORDER = (
    Place(Unknown, "Nothing is written if something is refused."),
    Place(Keywords, "A name has its C++ spelling before anything is put around it."),
    Place(Builtins, "Renames words that no other rule edits."),
    Place(NoReturn, "Drops attributes, which no other rule edits."),
    Place(Volatiles, "Drops a word that no other rule edits."),
    Place(
        Types, "Moves a type before all that is moved before its function and may name the type."
    ),
    Place(Heads, "Writes a function's head anew, which no other rule does."),
    Place(Externs, "Moves a declaration behind the types that it may need.", after=(Types,)),
    Place(Tags, "Qualifies the name that a conversion is put around.", after=(Keywords,)),
    Place(Tentative, "Gives a constant its last name.", after=(Keywords,)),
    Place(State, "Replaces a name by an lvalue that all else goes around.", after=(Keywords,)),
    Place(
        Strings, "Writes items of a list, and the list's own rule moves them as they are by then."
    ),
    Place(
        Decay,
        "Takes an address of what the array is called by now.",
        after=(Keywords, Tentative, State),
    ),
    Place(Jumps, "Assigns a whole variable behind its declaration, before members are assigned."),
    Place(Initialisers, "Moves items; some become assignments.", after=(Jumps,)),
    Place(
        Literals,
        "Declares a variable before a statement, behind the types that it may need.",
        after=(Types,),
    ),
    Place(Arrays, "Declares a pointer before a loop, where literals may stand.", after=(Literals,)),
    Place(Enums, "Writes an assignment that a conversion may go around."),
    Place(SizeOf, "Writes a size that a conversion may go around."),
    Place(
        Signs,
        "Casts an operand: a name, an lvalue, an assignment.",
        after=(Keywords, State, Enums),
    ),
    Place(
        Divisions,
        "Calls a function with the operands as they are by then; conversions stand around it.",
    ),
    Place(
        Polls,
        "Its checks stand at a loop's end, before jumps, and before calls, where the call's own "
        "check goes around them.",
    ),
    Place(
        Unwinding,
        "Tests a callee's own value, so conversions stand outside. What a statement declares "
        "stands before its label: a landing does not declare it again.",
        after=(Keywords, Tentative, State, Literals, Arrays, Polls),
    ),
    Place(
        Rolled,
        "Stands right before a loop, behind what is declared and tested for it.",
        after=(Literals, Arrays, Unwinding),
    ),
    Place(
        Reentry,
        "Names another function in place of a callee, whose name is C++ by then.",
        after=(Keywords,),
    ),
    Place(
        Targets,
        "Looks up the pointer that earlier rules wrote and calls it; the test of the call's value "
        "stands around both.",
        after=(Keywords, Tentative, State, Unwinding),
    ),
    Place(
        Sandbox,
        "Refuses before a call, so the call with its test is inside.",
        after=(Unwinding,),
    ),
    Place(Returns, "Adds a statement at a body's end, where no other rule writes."),
    Place(Recursion, "Its check stands behind a block's declarations.", after=(Arrays, Unwinding)),
    Place(
        Quantities,
        "Checks a size where it is used, after a callee's own value was tested.",
        after=(Keywords, State, Divisions, Unwinding),
    ),
    Place(
        Casts,
        "C converts the value of the expression that earlier rules wrote.",
        after=(
            Keywords,
            Tags,
            Tentative,
            State,
            Decay,
            Literals,
            Enums,
            SizeOf,
            Unwinding,
            Quantities,
            Sandbox,
        ),
    ),
    Place(
        Varargs,
        "Widens the value of the expression that earlier rules wrote.",
        after=(Keywords, Tags, Tentative, State, Enums, Unwinding),
    ),
    Place(
        Cycles,
        "Moves a whole item, casts included. Its setup runs behind the state's.",
        after=(Keywords, Tentative, State, Decay, Targets, Casts),
    ),
    Place(
        DeviceMarks,
        "Marks whatever declaration there is in the end, and closes the unit.",
        after=(Types, Externs, Tentative, State, Literals, Targets, Cycles),
    ),
)
RULES: tuple[type[Rule], ...] = tuple(place.rule for place in ORDER)

__all__ = ["ORDER", "RULES"]
