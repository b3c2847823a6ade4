"""C in which two rules meet: both edit one range, or both insert at one offset."""

from __future__ import annotations

SETJMP = "int setjmp(long *); int g(int); int (*p)(void); void v(int, ...); "
CHECK = "void mp_cstack_check(void); void c(void) { mp_cstack_check(); } "

# (earlier rule, later rule) to C.
MEETINGS: dict[tuple[str, str], str] = {
    ("types", "externs"): "unsigned long f(void) { extern const int k; "
    "return sizeof(struct { int a; }) + k; }",
    ("keywords", "tags"): "struct A { enum E { new } e; }; int f(void) { return new; }",
    ("keywords", "tentative"): "static const int new; static const int new = 1;",
    ("keywords", "state"): "int new; int f(void) { return new; }",
    ("keywords", "decay"): "const int new[1] = {1}; const char *const p = (const char *)new;",
    ("tentative", "decay"): "static const int k[1]; const char *const p = (const char *)k; "
    "static const int k[1] = {1};",
    ("state", "decay"): "int k[1]; char *const p = (char *)k;",
    ("types", "literals"): "const unsigned long *const p = "
    "(const unsigned long[]){sizeof(struct { int a; })};",
    ("literals", "arrays"): SETJMP + "int h(int *); int f(int n, int m) "
    "{ while (h((int[]){n--})) { char s[m]; s[0] = 0; } return n; }",
    ("jumps", "initialisers"): "union U { int a; struct { int b, c; }; }; int f(int a) "
    "{ if (a) goto out; union U u = {.c = 1}; a = u.c; out: return a; }",
    ("keywords", "signs"): "enum E { A }; int f(enum E new) { return new - 1 < 0; }",
    ("state", "signs"): "enum E { A }; enum E e; int f(void) { return e - 1 < 0; }",
    ("enums", "signs"): "enum E { A }; int f(enum E e) { return ++e - 1 < 0; }",
    ("keywords", "unwinding"): SETJMP + "int f(long *new) "
    "{ if (setjmp(new)) return 1; return p(); }",
    ("tentative", "unwinding"): SETJMP + "static long *const k; "
    "int f(void) { if (setjmp(k)) return 1; return p(); } static long *const k = 0;",
    ("state", "unwinding"): SETJMP + "long *b; int f(void) "
    "{ if (setjmp(b)) return 1; return p(); }",
    ("literals", "unwinding"): SETJMP + "int f(void) "
    "{ if (*(int[]){1}, setjmp(*(long *[]){0})) return 1; return p() + 1; }",
    ("arrays", "unwinding"): SETJMP + "int f(int n, long *b) "
    "{ while (setjmp(b) == 0) { char s[3]; char t[n]; t[0] = s[0] = 0; p(); } return 1; }",
    ("arrays", "recursion"): CHECK + "int f(int n) { x: "
    "for (int i = 0; i < 3; i++) { char t[n]; t[0] = 0; } if (n) goto x; return f(n); }",
    ("unwinding", "recursion"): SETJMP + CHECK + "int f(long **b) "
    "{ if (setjmp(*b)) return 1; return f(b) + 1; }",
    ("keywords", "casts"): "int *f(void *new) { return new; }",
    ("tags", "casts"): "struct A { enum E { X } e; }; enum F { Y }; enum F f(void) { return X; }",
    ("tentative", "casts"): "static void *const k; int *f(void) { return k; } "
    "static void *const k = 0;",
    ("state", "casts"): "void *k; int *f(void) { return k; }",
    ("decay", "casts"): "const char k[1] = {1}; const unsigned char *const p = k;",
    ("literals", "casts"): "char *f(void) { return (unsigned char[]){1}; }",
    ("enums", "casts"): "enum E { A }; enum F { B }; enum F f(enum E e) { return e |= 1; }",
    ("sizes", "casts"): "struct P { int a; }; const struct P k = {sizeof('a')};",
    ("unwinding", "casts"): "void *(*p)(void); int *f(void) { int *q = p(); return q; }",
    ("keywords", "varargs"): SETJMP + "void f(int new) { v(1, new); }",
    ("tags", "varargs"): SETJMP + "struct A { enum E { X } e; }; void f(void) { v(1, X); }",
    ("tentative", "varargs"): SETJMP + "static const int k; void f(void) { v(1, k); } "
    "static const int k = 1;",
    ("state", "varargs"): SETJMP + "int k; void f(void) { v(1, k); }",
    ("enums", "varargs"): SETJMP + "enum E { A }; void f(enum E e) { v(1, e |= 1); }",
    ("unwinding", "varargs"): SETJMP + "void f(void) { v(1, p()); }",
    ("keywords", "cycles"): "struct T { const void *t; }; extern const struct T new[1]; "
    "const struct T new[1] = {{new}};",
    ("tentative", "cycles"): "struct T { const void *t; }; static const struct T k[1]; "
    "static const struct T k[1] = {{k}};",
    ("decay", "cycles"): "struct T { const void *t; }; const struct T k[1] = {{k}};",
    ("casts", "cycles"): "struct T { char *t; }; const struct T k = {&k};",
    (
        "state",
        "cycles",
    ): "struct T { const void *t; }; const struct T k = {&k}; int n; int f(void) { return n; }",
    ("types", "device"): "unsigned long f(void) { return sizeof(struct { int a; }); }",
    ("externs", "device"): "int f(void) { extern const int k; return k; }",
    ("tentative", "device"): "\nconst int k; int f(void) { return k; }",
    ("state", "device"): "int n; int f(void) { return n; }",
    ("literals", "device"): "const int *const p = (const int[]){1};",
    ("cycles", "device"): "struct T { const struct T *t; }; const struct T k = {&k};",
}
