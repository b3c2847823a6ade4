#include "program.h"

enum small { A, B, C };
enum signs { MINUS = -1, PLUS = 1 };
typedef enum { F0 = 0, F1 = 1, F2 = 2, F4 = 4 } flags_t;

// C++ keywords as names of everything.
struct class { int new, this; struct { int template; } private; };
static int delete(int and, int or) { return and - or; }
typedef int namespace;
static namespace operator = 3;
enum virtual { public = 4, protected };

static void *any(void *p) { return p; }
static const void *any_const(const void *p) { return p; }
typedef void (*plain_t)(void);

static int takes_function(const void *slot, int a) { return ((int (*)(int))slot)(a); }
static int add_one(int a) { return a + 1; }

static long void_pointers(void) {
    int n = 5, *p = any(&n);
    unsigned char *bytes = any(&n);
    const char *text = any_const("text");
    struct class c = {.new = 1, .private.template = 2, .this = 3}, *q = any(&c);
    p = any(p);
    int (*f)(int) = any(add_one);
    plain_t plain = (plain_t)f;
    void **slot = any(&p);
    unsigned char *unsigned_text = "abc";
    return *p + bytes[0] + text[1] + q->private.template + q->this + f(1)
        + (plain != NULL) + **(int **)slot + unsigned_text[2] + takes_function(add_one, 6)
        + *(int *)(n ? any(&n) : NULL);
}

static int enums(int n) {
    enum small e = n;
    e = e + 1;
    e |= B;
    e++;
    ++e;
    e--;
    flags_t f = F1 | F2;
    f |= F4;
    f &= ~F1;
    f ^= F2;
    flags_t many[2] = {1, F1 | F4};
    for (enum small i = A; i <= C; i++) {
        n += i;
    }
    switch (f) {
        case F4:
            n += 100;
            break;
        default:
            n += 200;
    }
    enum small chosen = n > 3 ? B : n;
    return e + f + n + many[1] + (chosen == B);
}

// An enum without negative values is unsigned in C and promotes to int in C++.
static int signs_of_enums(enum small e, enum signs s) {
    int count = 0;
    count += e - 2 < 0;
    count += (long)(e - 2) > 0 ? 10 : 0;
    count += -e > 0 ? 100 : 0;
    count += e > -1 ? 1000 : 0;
    count += (e - 1) / 2 > 5 ? 10000 : 0;
    count += ((long)~e > 0) * 100000;
    count += (s - 2 < 0) * 1000000;
    count += ((unsigned long)(e * -1) >> 40 != 0) * 10000000;
    return count;
}

static int sizes(int a, char c) {
    return (int)(sizeof('a') + sizeof(a == 1) * 10 + sizeof(!a) * 100 + sizeof(a && c) * 1000
        + sizeof(c) * 10000 + sizeof("ab") * 100000 + sizeof('a' + 'b') * 1000000
        + sizeof(a < c ? 'x' : 'y') * 10000000);
}

static int narrow(int a) {
    unsigned char small[2] = {a, a + 300};
    struct { unsigned char b; float f; char c; unsigned u; } s = {a, a, 200, -1};
    long wide[1] = {a * 2};
    float floats[2] = {a, 1.5};
    return small[1] + s.b + (int)s.f + s.c + (s.u == 4294967295u) + (int)wide[0] + (int)floats[1];
}

static int offsets(void) {
    return (int)(offsetof(struct { char c; long l; }, l) + sizeof(struct { int a, b; })
        + offsetof(struct class, private));
}

static int jumps(int a) {
    if (a > 2) {
        goto out;
    }
    int x = a + 1, *p = &x, t[3] = {1, 2, a};
    const int k = x * 2;
    struct class c = {.this = x};
    struct class *const q = &c;
    const char *const s = "jump";
    for (int i = 0; i < 2; i++) {
        int y = x + i;
        if (y == 4) {
            goto out;
        }
        x += y;
    }
    return *p + t[2] + k + q->this + s[0];
out:
    a++;
    return -a;
}

static int jump_into_loop(int a) {
    int sum = 0;
    if (a & 1) {
        goto middle;
    }
    for (int i = 0; i < 3; i++) {
        sum += i;
middle:
        sum += 10;
        if (a & 1) {
            break;
        }
    }
    return sum;
}

static int switches(int a) {
    switch (a) {
            int shared;
        case 0:
            shared = 1;
            return shared;
        case 1: {
            int own = a + 5;
            return own;
        }
        case 2:;
            int crossed = a * 7;
            return crossed;
        case 3 ... 5:
            a += 1;
        default:
            crossed = a;
            return crossed + 50;
    }
}

static int duff(int n) {
    int total = 0, count = (n + 3) / 4;
    switch (n % 4) {
        case 0:
            do {
                total++;
                case 3:
                    total++;
                case 2:
                    total++;
                case 1:
                    total++;
            } while (--count > 0);
    }
    return total;
}

struct outer {
    struct inner { int n; } i;
    enum shade { DARK = 3, LIGHT } shade;
    union either { int i; float f; } e;
};

static int tags(void) {
    struct inner one = {4};
    struct inner *p = &one;
    enum shade shade = LIGHT;
    struct outer o = {.shade = DARK, .i = {2}, .e = {.i = 1}};
    union either u = {.f = 1.0f};
    return p->n + shade + o.shade + (int)u.f + (int)sizeof(struct inner) + ((struct inner *)&o)->n;
}

static int externs(int n) {
    extern int outside;
    extern const int outside_constant;
    int later(int);
    return outside + outside_constant + later(n);
}

int outside = 4;
const int outside_constant = 6;
int later(int n) { return n * 3; }

int program(void) {
    put("void", void_pointers());
    put("keywords", delete(8, operator) + public + protected);
    operator = 5;
    put("keywords", delete(8, operator));
    for (int i = 0; i < 8; i++) {
        put("enums", enums(i));
        put("jumps", jumps(i));
        put("loop", jump_into_loop(i));
        put("switch", switches(i));
        put("duff", duff(i + 1));
        put("narrow", narrow(i * 50));
    }
    put("signs", signs_of_enums(A, MINUS));
    put("signs", signs_of_enums(B, PLUS));
    put("signs", signs_of_enums(C, PLUS));
    put("sizes", sizes(1, 2));
    put("offsets", offsets());
    put("tags", tags());
    put("externs", externs(2));
    return 0;
}
