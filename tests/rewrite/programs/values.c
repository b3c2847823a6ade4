#include "program.h"

typedef struct { int a; double b; char c[20]; } big_t;
typedef struct { const int fixed; int *p; } fixed_t;
typedef union { int i; float f; } either_t;
typedef enum { RED = 1, GREEN, BLUE } colour_t;
typedef int (*unary_t)(int);

static void as_void(int a) { need(a); }
static big_t as_struct(int a) { big_t big = {.a = need(a), .b = a * 0.5}; return big; }
static fixed_t as_fixed(int a) { static int n; n = need(a); return (fixed_t){.p = &n, .fixed = a}; }
static either_t as_union(int a) { return (either_t){.i = need(a)}; }
static int *as_pointer(int a) { static int n; n = need(a); return &n; }
static const char *as_string(int a) { return "abc" + need(a); }
static bool as_bool(int a) { return need(a) > 1; }
static double as_double(int a) { return need(a) * 0.25; }
static float as_float(int a) { return need(a) * 0.5f; }
static colour_t as_enum(int a) { return (colour_t)need(a); }
static unsigned char as_char(int a) { return (unsigned char)need(a); }
static long long as_long(int a) { return (long long)need(a) << 40; }
static unary_t as_function(int a) { need(a); return need; }

// Tail calls, each converted on the way.
static double tail_double(int a) { return need(a); }
static bool tail_bool(int a) { return need(a); }
static int tail_int(int a) { return (int)as_double(a); }
static big_t tail_struct(int a) { return as_struct(a); }
static void tail_void(int a) { as_void(a); }
static void tail_return(int a) { return as_void(a); }
static void *tail_pointer(int a) { return as_pointer(a); }
static uintptr_t tail_number(int a) { return (uintptr_t)as_pointer(a); }
static colour_t tail_enum(int a) { return need(a); }

// None of the values below is null, whatever the callee returned; only a check stops them.
static int plus_one(int a) { return need(a) + 1; }
static bool is_not(int a) { return !as_bool(a); }
static int equal(int a) { return as_double(a) == 0.0; }
static bool is_there(int a) { return as_string(a) != NULL; }
static int of_struct(int a) { return as_struct(a).a + 7; }
static double negative(int a) { return -as_double(a) - 1.0; }

static int end_without_return(int a) {
    if (a > 1) {
        return a;
    }
    raise_value(a + 50);
}

static int switch_without_return(int a) {
    switch (a) {
        case 1:
            return 11;
        case 2:
            return 12;
        default:
            raise_value(a + 60);
    }
}

static int loop_without_return(int a) {
    for (;;) {
        need(a--);
    }
}

// Valid C if the value is not used.
static int value_unused(int a) {
    put("value unused", a);
}

int program(void) {
    value_unused(3);
    for (int a = -1; a < 3; a++) {
        SHOW("void", (as_void(a), 1));
        SHOW("struct", as_struct(a).a);
        SHOW("fixed", *as_fixed(a).p + as_fixed(a).fixed);
        SHOW("union", as_union(a).i);
        SHOW("pointer", *as_pointer(a));
        SHOW("string", *as_string(a));
        SHOW("bool", as_bool(a));
        SHOW("double", (long)(as_double(a) * 100));
        SHOW("float", (long)(as_float(a) * 100));
        SHOW("enum", as_enum(a));
        SHOW("char", as_char(a));
        SHOW("long", as_long(a));
        SHOW("function", as_function(a)(a));
        SHOW("tail double", (long)(10 * tail_double(a)));
        SHOW("tail bool", tail_bool(a));
        SHOW("tail int", tail_int(a));
        SHOW("tail struct", (long)(4 * tail_struct(a).b));
        SHOW("tail void", (tail_void(a), 2));
        SHOW("tail return", (tail_return(a), 2));
        SHOW("tail pointer", *(int *)tail_pointer(a));
        SHOW("tail number", *(int *)tail_number(a));
        SHOW("tail enum", tail_enum(a));
        SHOW("plus one", plus_one(a));
        SHOW("not", is_not(a));
        SHOW("equal", equal(a));
        SHOW("is there", is_there(a));
        SHOW("of struct", of_struct(a));
        SHOW("negative", (long)(100 * negative(a)));
        SHOW("end", end_without_return(a));
        SHOW("switch", switch_without_return(a));
        SHOW("loop", loop_without_return(a));
    }
    return 0;
}
