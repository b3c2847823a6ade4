"""Classes of the cases of a rule (tests/rewrite/cases/, one file per rule)."""

from __future__ import annotations

from attrs import frozen


@frozen
class Refused:
    """A refused construct: `code` encloses it once in ⟦ and ⟧; the error names its start."""

    code: str
    reason: str

    @property
    def text(self) -> str:
        """Return the code without the marks."""
        return self.code.replace("⟦", "").replace("⟧", "")

    @property
    def construct(self) -> str:
        """Return the text between the marks."""
        return self.code.partition("⟦")[2].partition("⟧")[0]

    @property
    def place(self) -> tuple[int, int]:
        """Return line and column of the construct in the snippet, from 1."""
        before = self.code.partition("⟦")[0]
        return before.count("\n") + 1, len(before) - before.rfind("\n")


# Declarations at the start of cases.
SETJMP = """typedef struct { long mark; } jmp_buf[1];
int setjmp(jmp_buf b);
_Noreturn void longjmp(jmp_buf b, int v);
int g(int);
int (*p)(void);
"""
CALLS = "int setjmp(long *); int g(int); int (*p)(void); void v(int, ...); "
CHECK = "void mp_cstack_check(void); void c(void) { mp_cstack_check(); } "
# The port's poll, and a function that raises in the interpreter.
POLL = "unsigned gpusnek_poll_budget; void porter_poll_loop(int raises) { } "
POLL += "_Noreturn void e(void) { } "
