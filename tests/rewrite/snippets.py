"""C for each rule, beyond its example. The C++ that the rule alone makes of it is a snapshot."""

from __future__ import annotations

# Rule to (name, C). Each snippet is a whole unit, which both compilers take once all rules ran.
SNIPPETS: dict[str, dict[str, str]] = {
    "keywords": {
        "field": "struct s { int new, class; }; int f(struct s *p) { return p->new + p->class; }",
        "string": "const char *f(void) { return \"new class\"; } char c(void) { return 'n'; }",
        "function": "int delete(int this); int f(void) { return delete(1); }",
        "label": "int f(int a) { if (a) goto try; a++; try: return a; }",
        "spellings": '_Static_assert(sizeof(int) == 4, "int"); int f(int *restrict p) '
        "{ register int a = *p; return a + _Alignof(long); }",
    },
    "builtins": {
        "typed": "int f(long long a, long long *r) { return __builtin_smulll_overflow(a, a, r); }",
        "generic": "int f(unsigned a, long b, short *r) { return __builtin_add_overflow(a, b, r) "
        "|| __builtin_mul_overflow_p(a, b, (char)0); }",
        "bits": "int f(unsigned a) { return __builtin_ctz(a) + __builtin_clzl(a); }",
        "the compiler's": "int f(int a) { return __builtin_expect(a, 0); }",
        "a word in text": 'const char *f(void) { return "__builtin_ctz"; }',
    },
    "noreturn": {
        "c11": "_Noreturn void f(void);",
        "list": "void f(int) __attribute__((noinline, noreturn));",
        "pointer": "struct s { void (*die)(void) __attribute__((noreturn)); };",
        "string": 'const char *f(void) { return "_Noreturn"; }',
    },
    "volatiles": {
        "parameter": "int setjmp(long *); int f(volatile int a, long *b) "
        "{ int *volatile p = 0; if (setjmp(b) == 0) return a; return p != 0; }",
        "elsewhere": "int f(volatile int *p) { volatile int a = *p; return a; }",
    },
    "types": {
        "offsetof": "unsigned long f(void) "
        "{ return __builtin_offsetof(struct { char c; long l; }, l); }",
        "union": "unsigned long f(void) { return sizeof(union { char c[3]; int i; }); }",
    },
    "heads": {
        "several": "int f(a, b) int *a, b; { return *a + b; } int g(void) "
        "{ int a = 1; return f(&a, 2); }",
        "kinds": "struct s { int n; }; long f(new, s, t, g) const char *new; struct s s; int t[3];"
        " void (*g)(int); { g(t[0]); return s.n + *new; }",
        "declared": "int f(unsigned char); int f(c) unsigned char c; { return c; }",
    },
    "externs": {
        "function": "int f(int a) { int g(int); return g(a); }",
        "array": "int f(void) { extern const int t[3]; return t[1]; }",
    },
    "tags": {
        "deep": "struct a { struct b { struct c { int n; } c; } b; }; struct c k(void);",
        "enumerator": "struct s { enum kind { ONE, TWO } kind; }; int f(void) { return TWO; }",
        "inside": "struct a { struct b { int n; } b; struct b *next; };",
    },
    "tentative": {
        "array": "static const int t[2]; int f(void) { return t[1]; } "
        "static const int t[2] = {1, 2};",
        "twice": "static const int a; static const int a; static const int a = 1; "
        "const int *f(void) { return &a; }",
        "zero": "static const int k; int f(void) { return k; }",
        "external": "extern const int k; const int k; int f(void) { return k; } const int k = 1;",
        "external zero": "struct s { int n; }; const struct s k; int f(void) { return k.n; }",
    },
    "state": {
        "local": "int f(void) { static int n = 3, m; return n++ + m++; }",
        "array": 'static char t[4] = "ab"; char f(int a) { t[a] = 1; return t[a]; }',
        "holder": "static int n; int *const p = &n; int f(void) { return *p; }",
        "extern": "extern int n; int f(void) { return n++; } int n = 1;",
        "tag": "static struct s { int a; } s; int f(void) { return s.a++; }",
        "function pointer": "static int (*p)(int); int f(int a) { return p ? p(a) : 0; }",
    },
    "strings": {
        "escapes": r'const char s[5] = "a\n\x41\101" "\"";',
        "room": 'const char s[4] = "abc"; const char t[] = "abc";',
        "nested": 'const struct { char a[2]; int n; } s = {"ab", 1};',
        "quote": 'const char s[1] = "\'";',
        "braced": 'struct s { int n; char m[2]; }; const char a[2] = {"ab"}; '
        'const char b[2][2] = {"ab", {"cd"}}; const struct s c = {.n = 1, .m = {"ab"}};',
    },
    "decay": {
        "member": "struct s { int a[2]; }; const struct s s = {{1, 2}}; "
        "const unsigned char *const p = (const unsigned char *)s.a;",
        "number": "const char t[2] = {1, 2}; const unsigned long n = (unsigned long)t;",
    },
    "initialisers": {
        "nested": "struct p { int x, y; }; const struct { struct p a, b; int c; } s "
        "= {.b = {.y = 1}, .c = 2};",
        "path": "struct p { int x, y; }; const struct { struct p a[2]; } s "
        "= {.a[1].y = 1, .a[0] = {.x = 2}};",
        "union": "const union { int i; double d; } u = {.d = 1.5};",
        "union in parts": "const union { int i; struct { short a, b; } s; char c[4]; } u "
        "= {.s.b = 2, .s.a = 1}, v = {.i = 7, .c[1] = 1, .c[0] = 3};",
        "array": "const int t[] = {[2] = 5, 6, [0] = 1};",
        "range": "const int t[4] = {[1 ... 2] = 7};",
        "override": "const int t[2] = {[0] = 1, [0] = 2, [1] = 3};",
        "nameless": "const struct { int n; struct { int a; union { int b; long c; }; }; } s "
        "= {.b = 1, .n = 2};",
        "bitfield": "const struct { unsigned a : 3, : 2, b : 4; } s = {.b = 1, .a = 2};",
        "statement": "int f(int a) { union { int i; struct { int b, c; }; } u = {.c = a}; "
        "return u.b; }",
        "function pointer": "int g(int); const struct { int n; int (*call)(int); } s "
        "= {.call = g};",
    },
    "literals": {
        "struct": "struct p { int x, y; }; int g(const struct p *); "
        "int f(int a) { return g(&(struct p){1, a}); }",
        "const member": "struct p { const int x; int y; }; int g(const struct p *); "
        "int f(int a) { return g(&(struct p){a}); }",
        "rest": "int g(int *); int f(int a) { return g((int[4]){a, 1}); }",
        "designated": "int g(int *); int f(int a) { return g((int[3]){[2] = a}); }",
        "structs": "struct p { int x, y; }; int g(struct p *); "
        "int f(int a) { return g((struct p[]){{1, a}, {2}}); }",
        "file": "struct p { int x, y; }; const struct p *const p = &(const struct p){1, 2}; "
        "const int *const t = (const int[]){3, 4};",
        "member": "struct p { int n[3]; }; int *f(int a) { return (struct p){{a, 2}}.n; }",
        "value": "struct p { int x, y; }; struct p f(int a) { return (struct p){a, 2}; }",
    },
    "arrays": {
        "loop": "int f(int n) { int s = 0; for (int i = 0; i < 9; i++) "
        "{ int t[n + 1]; t[0] = i; s += t[0]; } return s; }",
        "pointers": "void f(int n) { const char *t[2 * n]; t[0] = 0; }",
        "jump into a loop": "int f(int n) { int s = 0; if (n > 4) goto in; "
        "for (int i = 0; i < 9; i++) { { int t[n + 1]; t[0] = i; s += t[0]; } in: s++; } "
        "return s; }",
        "loop below if": "int f(int n) { int s = n; if (s) "
        "while (--s) { char t[n + 1]; t[0] = s; } return s; }",
        "size of an element": "int f(int n) { int t[n]; return sizeof(t[0]) + sizeof n; }",
    },
    "enums": {
        "steps": "enum e { A, B }; void f(enum e *p) { (*p)++; --*p; }",
        "loop": "enum e { A, B }; int f(void) { int n = 0; "
        "for (enum e e = A; e <= B; e++) { n++; } return n; }",
        "and": "enum e { A, B }; void f(enum e e) { e &= ~B; e <<= 1; }",
        "shift": "enum e { A, B }; void f(enum e e) { e >>= 1; }",
    },
    "sizes": {
        "kinds": "unsigned long f(int a, char c) "
        "{ return sizeof 'a' + sizeof(!a) + sizeof(a ? c : c) + sizeof(c); }",
    },
    "signs": {
        "without a middle": "enum E { A, B }; long f(int a, enum E e) { return (a ?: e) | -1; }",
        "unary": "enum e { A }; int f(enum e e) { return -e > 0; }",
        "wider": "enum e { A }; long f(enum e e, long n) { n -= e; return n == e ? n + e : n; }",
        "assigned": "enum e { A }; int f(enum e e, int n) { n /= e; n += e; return n; }",
        "negative": "enum e { A = -1 }; int f(enum e e) { return e - 1 < 0; }",
        "equal": "enum e { A }; int f(enum e e) { return e == A; }",
        "conditional": "enum e { A }; long f(enum e e, int c) { return (c ? e : 0u) - 1; }",
    },
    "varargs": {
        "narrow": "void f(int n, ...); "
        "void g(char c, unsigned u, _Bool b) { f(1, c, u, b, 2, 3u, 'x'); }",
        "wide": "void f(int n, ...); void g(long l, void *p, double d) { f(1, l, p, d); }",
        "enum": "enum e { A, B }; void f(int n, ...); void g(enum e e) { f(1, e, B); }",
        "fixed": "void f(int n, ...); void g(short s) { f(s); }",
        "pointer": "void (*f)(int, ...); void g(int i) { f(i, i); }",
        "read": "double f(int n, ...) { __builtin_va_list a; __builtin_va_start(a, n); "
        "unsigned u = __builtin_va_arg(a, unsigned); char *s = __builtin_va_arg(a, char *); "
        "double d = __builtin_va_arg(a, double); __builtin_va_end(a); return s ? d + u : 0; }",
    },
    "unwinding": {
        "tail": "int (*p)(int); int f(int a) { return p(a); } void g(int a) { a++; p(a); }",
        "no tail": "int (*p)(int); int f(int a) { return p(a) ?: 2; }",
        "tail cast": "void *(*p)(void); long f(void) { return (long)p(); }",
        "struct": "struct s { int a; }; struct s (*p)(void); struct s f(void) { return p(); } "
        "int g(void) { return p().a; }",
        "double": "double (*p)(void); double f(void) { return p() * 2; }",
        "void": "void (*p)(void); "
        "int f(int a) { if (a) p(); for (p(); a; p()) { a--; } return a; }",
        "never": "_Noreturn void die(int); int f(int a) { if (a) { die(a); } return 1; }",
        "cannot": "int g(int); int f(int a) { return g(a) + 1; }",
        "landing": "typedef struct { long mark; } jmp_buf[1]; int setjmp(jmp_buf b); "
        "int (*p)(void); int f(void) { jmp_buf b; if (setjmp(b) == 0) { return p(); } return 2; }",
        "moving": "typedef struct { long mark; } jmp_buf[1]; int setjmp(jmp_buf b); "
        "void (*p)(void); int f(jmp_buf *b) { if (setjmp(*b)) { return 1; } b++; p(); return 0; }",
    },
    "returns": {
        "void": "void f(int a) { if (a) return; }",
        "empty": "int f(void) { }",
        "loop": "int f(void) { for (;;) { } }",
    },
    "recursion": {
        "mutual": "void mp_cstack_check(void); void g(void) { mp_cstack_check(); } int b(int); "
        "int a(int n) { return n ? b(n - 1) : 0; } int b(int n) { return a(n); }",
        "checked": "void mp_cstack_check(void); "
        "int a(int n) { mp_cstack_check(); return n ? a(n - 1) : 0; }",
    },
    "casts": {
        "arguments": "void g(char *, const unsigned char *); "
        "void f(void *p, char *s) { g(p, (void *)s); }",
        "enum": "enum e { A, B }; enum e f(int a) { enum e e = a; e = a + 1; return a & B; }",
        "const enum": "enum e { A, B }; const enum e k = B; unsigned f(int a) { return a ^ k; }",
        "function": "int g(int); const void *const slot = g; void *f(void) { return g; }",
        "narrowing": "struct s { unsigned char c; float f; }; "
        "struct s f(int a, double d) { struct s s = {a, d}; return s; }",
        "const": "void g(char *); void f(const char *s) { g(s); }",
        "const pointer": "void f(void *p) { char *const q = p; const char *const *r = p; "
        "(void)q; (void)r; }",
        "array parameter": "void g(int a[3]); void f(void *p) { g(p); }",
        "conditional": "int *f(int *a, void *b, int c) { return c ? a : b; }",
        "pointer to integer": "typedef unsigned long word; word f(int *p) { return p; } "
        "_Bool g(int *p) { return p; }",
        "nameless": "int g(void); const struct { int a; } s; "
        "int f(void *p) { return &s == p || &s != 0; }",
        "null": "int *f(void) { int *p = ((void *)0); p = 0; return p; }",
    },
    "cycles": {
        "two": "struct s { const struct s *p; int n; }; extern const struct s b; "
        "const struct s a = {&b, 1}; const struct s b = {&a, 2};",
        "nested": "struct s { struct { const void *p; } in[2]; }; "
        "const struct s s = {{{0}, {&s}}};",
        "keyword": "struct s { const struct s *this; }; const struct s new = {&new};",
        "tentative": "struct s { const struct s *p; }; static const struct s a; "
        "static const struct s a = {&a};",
    },
    "jumps": {
        "several": "int f(int a) { if (a) goto out; int b = a, *p = &b; "
        "return *p; out: return 0; }",
        "array": "int f(int a) { if (a) goto out; int t[2] = {a, 1}; return t[1]; out: return 0; }",
        "const": 'int f(int a) { if (a) goto out; const int b = a; const char *const s = "x"; '
        "return b + *s; out: return 0; }",
        "switch": "int f(int a) { switch (a) { case 1:; int b = a; return b; "
        "default: return 0; } }",
        "loop": "int f(int a) { if (a) goto in; "
        "for (int i = 0; i < 3; i++) { in: a++; } return a; }",
        "function pointer": "int g(int); int f(int a) { if (a) goto out; int (*p)(int) = g; "
        "return p(a); out: return 0; }",
        "backward": "int f(int a) { again:; int b = a + 1; if (b < 3) { a = b; goto again; } "
        "return b; }",
    },
    "device": {
        "static": "static const int k = 1; static int f(void) { return k; }",
        "extern": "extern const int k; const int k = 2; typedef int t; struct s { int a; };",
        "flexible": "struct s { int n; int t[]; }; const struct s k = {2, {1, 2}};",
    },
}
