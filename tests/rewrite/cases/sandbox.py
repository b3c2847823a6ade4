"""Cases of the rule sandbox."""

from __future__ import annotations

_OBJECTS = "typedef void *mp_obj_t; long get(mp_obj_t); "

SNIPPETS = {
    "pair": "typedef void *mp_obj_t; long mp_get(mp_obj_t); int n; "
    "char *f(mp_obj_t o) { n++; char *c = (char *)mp_get(o); n--; return c; }",
    "collector": "typedef void *mp_obj_t; long mp_get(mp_obj_t); char *kept; "
    "static void sweep(mp_obj_t o) { kept = (char *)mp_get(o); } "
    "void gc_collect(void) { sweep(0); } char *f(mp_obj_t o) { return (char *)mp_get(o); }",
    "local": _OBJECTS + "char *f(mp_obj_t o) { long n = get(o) + 1; return (char *)n; }",
    "parameter": _OBJECTS + "char *at(long n) { return (char *)n; } "
    "char *f(mp_obj_t o) { return at(get(o)); }",
    "field": _OBJECTS + "struct s { long n; }; void f(struct s *s, mp_obj_t o) { s->n = get(o); } "
    "char *g(struct s *s) { return (char *)s->n; }",
    "result": _OBJECTS + "_Bool maybe(mp_obj_t, long *); "
    "void f(mp_obj_t o) { long n; if (maybe(o, &n)) { *(char *)n = 0; } }",
    "small integer": _OBJECTS + "char *f(mp_obj_t o) { return (char *)((long)o >> 1); }",
    # A shifted pointer becomes a small integer, which is shifted back; another integer is refused.
    "hidden pointer": _OBJECTS
    + "mp_obj_t hide(char *p) { return (mp_obj_t)((((unsigned long)p >> 1) << 1) | 1); } "
    "char *shown(mp_obj_t o) { return (char *)(((long)o >> 1) << 1); } "
    "char *other(mp_obj_t o) { return (char *)(((long)o >> 1) << 3); } "
    "char *read(mp_obj_t o) { return (char *)(get(o) << 1); }",
    "tag": _OBJECTS
    + "mp_obj_t f(mp_obj_t o) { return (mp_obj_t)((unsigned long)get(o) << 1 | 1); }",
    "object": _OBJECTS + "struct s { int n; }; "
    "int f(mp_obj_t o) { return ((struct s *)(unsigned long)o)->n; }",
    "forged": _OBJECTS + "mp_obj_t f(mp_obj_t o) { return (mp_obj_t)get(o); }",
    "arithmetic": _OBJECTS + "char *f(char *p, mp_obj_t o) { return (char *)((long)p + get(o)); }",
    # A pointer of C is passed there too; integers of the program are refused before.
    "pointer": _OBJECTS + "typedef int (*control)(unsigned long); "
    "int seek(unsigned long n) { return *(int *)n; } int flush(unsigned long n) { return n; } "
    "const control all[] = {seek, flush}; int own(void) { int n = 1; return all[0]((long)&n); } "
    "int f(mp_obj_t o) { return all[1](get(o)); }",
    # Only calls with request 2 reach either cast.
    "request": _OBJECTS + "typedef int (*control)(int, unsigned long); "
    "int a(int request, unsigned long n) { if (request == 2) { return *(int *)n; } return 0; } "
    "int b(int request, unsigned long n) "
    "{ switch (request) { case 1: return 1; case 2: return *(int *)n; } return 0; } "
    "const control all[] = {a, b}; "
    "int f(mp_obj_t o) { int n; return all[0](2, (long)&n) + all[1](3, get(o)); }",
    "any request": _OBJECTS + "int a(int request, unsigned long n) "
    "{ if (request == 2) { return *(int *)n; } return 0; } "
    "int own(int n) { return a(2, (long)&n); } "
    "int f(mp_obj_t o) { return a(get(o), get(o)); }",
    "bytes": _OBJECTS + "typedef struct mp_buffer_info_t { void *buf; } mp_buffer_info_t; "
    "mp_obj_t item(void *p, int i) { return ((mp_obj_t *)p)[i]; } "
    "void set(void *p, mp_obj_t o) { ((mp_obj_t *)p)[0] = o; } "
    "mp_obj_t f(mp_buffer_info_t *b) { set(b->buf, 0); return item(b->buf, 1); } "
    "char *g(mp_buffer_info_t *b) { long n = *(long *)b->buf; return (char *)n; }",
    "loader": "typedef struct { int n; } mp_reader_t; void mp_emit_glue_assign_bytecode(int); "
    "static void load(mp_reader_t *r) { mp_emit_glue_assign_bytecode(r->n); } "
    "void compile(void) { mp_emit_glue_assign_bytecode(1); } "
    "int read(mp_reader_t *r) { load(r); return 1; }",
    "import": "typedef struct { int n; } mp_reader_t; void mp_emit_glue_assign_bytecode(int); "
    "void load(mp_reader_t *r) { mp_emit_glue_assign_bytecode(r->n); } "
    "void mp_import_name(void) { mp_reader_t r; load(&r); } "
    "void make(mp_reader_t *r) { r->n = 1; mp_import_name(); }",
}
MEETS = {
    "unwinding": _OBJECTS + "int (*p)(void); long get(mp_obj_t o) { return p() + 1; } "
    "int at(unsigned long n) { return *(int *)n; } "
    "int f(mp_obj_t o) { int n; return at((long)&n) + at(get(o)); }",
}
