"""C that a rule refuses: the rule, the code, the construct that the error names, and why."""

from __future__ import annotations

from attrs import frozen


@frozen
class Refused:
    """`code` holds the construct once between ⟦ and ⟧; its start is what the error points at."""

    rule: str
    code: str
    reason: str

    @property
    def text(self) -> str:
        """The code without the marks."""
        return self.code.replace("⟦", "").replace("⟧", "")

    @property
    def construct(self) -> str:
        """What stands between the marks."""
        return self.code.partition("⟦")[2].partition("⟧")[0]

    @property
    def place(self) -> tuple[int, int]:
        """Line and column of the construct in the snippet, from 1."""
        before = self.code.partition("⟦")[0]
        return before.count("\n") + 1, len(before) - before.rfind("\n")


SETJMP = """typedef struct { long mark; } jmp_buf[1];
int setjmp(jmp_buf b);
_Noreturn void longjmp(jmp_buf b, int v);
int g(int);
int (*p)(void);
"""

REFUSED = [
    # builtins
    Refused("builtins", "void f(void) { ⟦__builtin_trap⟧(); }", "device code may lack"),
    Refused("builtins", "void *f(void) { return ⟦__builtin_return_address⟧(0); }", "may lack"),
    # unknown
    Refused("unknown", "int f(int *p) { return ⟦__sync_fetch_and_add⟧(p, 1); }", "the compiler's"),
    Refused("unknown", "⟦__float128⟧ a;", "a word of the compiler's"),
    Refused("unknown", "⟦_Float16⟧ a;", "a word of the compiler's"),
    Refused(
        "unknown",
        "long double g(void); int f(void) { return (int)⟦g()⟧; }",
        "computes as a double",
    ),
    Refused("unknown", "void f(void) ⟦__attribute__((naked))⟧;", "an attribute that no rule knows"),
    Refused(
        "unknown",
        "typedef int v ⟦__attribute__((vector_size(16)))⟧;",
        "an attribute that no rule knows",
    ),
    Refused("unknown", "double f(void) { return __extension__ (int)⟦1.0i⟧; }", "IMAGINARY_LITERAL"),
    Refused("unknown", "int f(int a) { return ⟦_Generic⟧(a, int: 1); }", "generic selection"),
    Refused("unknown", "⟦_Atomic⟧ int a;", "atomic type"),
    Refused("unknown", "⟦_Complex⟧ double a;", "complex type"),
    Refused("unknown", "static ⟦__thread⟧ int a;", "variable of a thread"),
    Refused("unknown", "static ⟦_Thread_local⟧ int a;", "variable of a thread"),
    Refused("unknown", "int f(void) { ⟦__auto_type⟧ x = 1; return x; }", "the compiler finds"),
    Refused("unknown", "int f(int a) { ⟦__typeof__⟧(a == 1) b = 2; return b; }", "type of an exp"),
    Refused("unknown", "int f(int a) { ⟦__label__⟧ x; x: return a; }", "label of a block"),
    Refused(
        "unknown", "int f(void) { return ⟦__builtin_choose_expr⟧(1, 2, 3); }", "choice between"
    ),
    Refused("unknown", "void f(void) ⟦__attribute__((constructor))⟧;", "before there is a state"),
    Refused("unknown", "void f(void) ⟦__attribute__((__destructor__))⟧;", "after there is a state"),
    Refused("unknown", "int f(int) ⟦__attribute__((noinline, pure))⟧;", "does not raise"),
    Refused("unknown", "int *f(int) ⟦__attribute__((returns_nonnull))⟧;", "not return null"),
    Refused(
        "unknown",
        "void g(int *);\nvoid f(void) { int a ⟦__attribute__((cleanup(g)))⟧ = 1; }",
        "does not run when it unwinds",
    ),
    Refused("unknown", "int f(void) { void *p = ⟦&&out⟧; goto *p; out: return 1; }", "a label"),
    Refused("unknown", 'void f(void) { ⟦asm("nop")⟧; }', "assembly"),
    Refused("unknown", "⟦struct empty {}⟧;\nstruct empty e;", "without members"),
    Refused("heads", "int f(a) ⟦struct s { int n; }⟧ *a; { return a->n; }", "behind a function"),
    Refused("unknown", "int f(int ⟦r_⟧) { return r_; }", "a name that the rules use"),
    Refused(
        "unknown", "int f(int new, int ⟦new_⟧) { return new + new_; }", "the name that new gets"
    ),
    # types, externs, tags
    Refused(
        "types",
        "int f(void) { return sizeof(⟦struct named { int a; }⟧); }",
        "a type with a name is defined inside an expression",
    ),
    Refused(
        "externs",
        "const int a = 1, b = 2;\nint f(void) { ⟦extern const int a⟧, b; return a + b; }",
        "several external names",
    ),
    Refused(
        "tags",
        "struct { struct inner { int a; } i; } outer;\nint f(void) "
        "{ return sizeof(struct ⟦inner⟧); }",
        "inside a struct without a name",
    ),
    # state
    Refused(
        "state",
        "struct s { int a; };\nint n = 1;\n⟦const struct s a = {1}⟧, *p = &a;",
        "state and constants in one declaration",
    ),
    Refused("state", "static struct { int a; } s;\nint f(void) { return ⟦s⟧.a++; }", "no name"),
    Refused(
        "state",
        "struct t { int n; int tail[]; };\n⟦static struct t s = {1, {2, 3}}⟧;",
        "a mutable variable with an array of any length",
    ),
    # initialisers, literals
    Refused(
        "initialisers",
        "struct s { int a[2]; int b; };\nconst struct s s = {⟦1⟧, 2, .b = 3};",
        "braces are left out",
    ),
    Refused(
        "initialisers",
        "struct i { int a, b; }; struct s { struct i i; };\nextern const struct i k;\n"
        "void f(void) { struct s s = {.i = k, .i.b = ⟦3⟧}; }",
        "reaches into an item set before",
    ),
    Refused("initialisers", "const char a[70000] = ⟦{[69999] = 1}⟧;", "list of 70000 items"),
    Refused(
        "initialisers",
        "const union { int a; struct { int b, c; }; } u = ⟦{.c = 1}⟧;",
        "something without a name inside a union",
    ),
    Refused(
        "initialisers",
        "const struct { int n; union { int b; long c; }; } u = ⟦{.c = 1}⟧;",
        "something without a name inside a union",
    ),
    Refused(
        "initialisers",
        "int g(void);\nvoid f(void) { int a[4] = {[0 ... 2] = ⟦g()⟧}; }",
        "effects for a range",
    ),
    Refused(
        "literals",
        "void f(void) { int *p = ⟦(struct { int a[2]; }){{1}}⟧.a; }",
        "a compound literal of a type without a name",
    ),
    Refused("literals", "int *const p = ⟦(int[]){1, 2}⟧;", "mutable compound literal"),
    Refused(
        "literals",
        "const int (*f(void))[2] { return ⟦(const int[2][2]){{1}}⟧; }",
        "a compound literal of such an array",
    ),
    Refused("literals", 'const char *f(void) { return (char[]){⟦"ab"⟧}; }', "such an item"),
    Refused(
        "literals",
        "struct s { int a, b; };\nstruct s *f(void) { return (struct s[]){⟦1⟧, 2}; }",
        "braces are left out",
    ),
    # arrays
    Refused("arrays", "void f(int n) { ⟦int a[n][n]⟧; }", "more than one variable bound"),
    Refused("arrays", "int f(int n) { int a[n]; return ⟦sizeof(a)⟧; }", "the size of an array"),
    Refused("arrays", "void f(int n) { ⟦int a[n]⟧, b; }", "beside other declarators"),
    Refused("arrays", "void f(int n) { while (n--) { ⟦int a[n]⟧; } }", "changes in a loop"),
    Refused(
        "arrays",
        "void f(int n) { if (n) while (1) { ⟦int a[n]⟧; n++; } }",
        "changes in a loop",
    ),
    Refused("arrays", "void *f(int n) { int a[n]; return ⟦&a⟧; }", "the address of an array"),
    # enums, sizes
    Refused(
        "enums",
        "enum e { A };\nint g(enum e);\nint f(enum e e) { return g(⟦e++⟧); }",
        "the value of a postfix step",
    ),
    Refused(
        "enums",
        "enum e { A, B };\nvoid f(enum e *p) { ⟦*p++⟧ |= B; }",
        "where its place has effects",
    ),
    Refused("sizes", "char a[3];\nint f(void) { return sizeof(⟦0, a⟧); }", "with a comma"),
    # casts
    Refused(
        "casts",
        "void *g(void);\nvoid f(void) { struct { int a; } *p; p = ⟦g()⟧; }",
        "a type without a name",
    ),
    # cycles
    Refused(
        "cycles",
        "struct s { const struct s *p; };\ntypedef const struct s k_t;\n⟦k_t k = {&k}⟧;",
        "whose const stands elsewhere",
    ),
    Refused("cycles", "const void *const k = ⟦&k⟧;", "no braced list"),
    Refused(
        "cycles",
        "struct i { const void *p; }; struct s { struct i i; int a; };\n"
        "const struct s k = {⟦&k⟧, 2};",
        "an item without braces",
    ),
    # jumps
    Refused(
        "jumps",
        "int f(int a) { if (a) goto out; int const b = a, ⟦c = 2⟧; out: return a; }",
        "whose const stands elsewhere",
    ),
    Refused(
        "jumps",
        "int f(int a) { if (a) goto in; for (⟦int b[2] = {1};⟧ a; a--) { in: a++; } return a; }",
        "a jump into a loop",
    ),
    # unwinding
    Refused(
        "unwinding",
        SETJMP + "int f(void) { jmp_buf b; return ⟦g(setjmp(b))⟧; }",
        "setjmp inside this construct",
    ),
    Refused("unwinding", SETJMP + "int f(void) { jmp_buf b; ⟦return setjmp(b)⟧; }", "inside this"),
    Refused(
        "unwinding",
        SETJMP + "int f(void) { jmp_buf b; int n = ⟦setjmp(b) ? 1 : 2⟧; return n; }",
        "setjmp inside this construct",
    ),
    Refused(
        "unwinding",
        SETJMP + "int f(int a) { jmp_buf b; if (⟦g(a) && setjmp(b)⟧) { return 1; } return 0; }",
        "setjmp inside an expression",
    ),
    Refused(
        "unwinding",
        SETJMP + "int f(int *a) { jmp_buf b; ⟦*a++ = setjmp(b)⟧; return 0; }",
        "setjmp inside an expression",
    ),
    Refused(
        "unwinding",
        SETJMP + "int f(int a) { jmp_buf b; ⟦if (a) a = setjmp(b)⟧; return a; }",
        "in a branch without braces",
    ),
    Refused(
        "unwinding",
        SETJMP + "int f(int a) { jmp_buf b; ⟦int n = g(a), c = setjmp(b);⟧ return n + c; }",
        "beside other declarators",
    ),
    Refused(
        "unwinding",
        SETJMP + "jmp_buf *where(void);\nint f(void) { int a = ⟦setjmp(*where())⟧; return a; }",
        "a call in the argument of setjmp",
    ),
    Refused(
        "unwinding",
        SETJMP + "int f(int a) { jmp_buf b; if (a) { if (setjmp(b)) { return 1; } } "
        "else { if (setjmp(b)) { return 2; } } return ⟦p()⟧ + 1; }",
        "two setjmp calls of one buffer",
    ),
    Refused(
        "unwinding",
        "struct s { int a[2]; };\nstruct s (*p)(void);\nint f(void) { return *⟦p().a⟧; }",
        "an array in the result of a call",
    ),
]
