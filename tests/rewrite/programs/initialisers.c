#include "program.h"

typedef struct { int x, y, z; } point_t;
typedef enum { ZERO, ONE, TWO, MANY = 100 } count_t;
typedef struct {
    count_t first;
    const char *name;
    union { long i; double d; struct { short low, high; } parts; } u;
    struct { int a; struct { int b, c; } deep; } inner;
    point_t points[3];
    int (*call)(int);
    unsigned bits : 3, more : 5;
} record_t;

static int twice(int a) { return 2 * a; }

static const record_t out_of_order = {
    .call = twice, .points[2].y = 5, .points[0] = {.z = 1, .x = 2}, .inner.deep.c = 7,
    .inner.a = 3, .u.d = 2.5, .name = "out", .first = TWO, .more = 9,
};
static const record_t gaps = {.name = "gaps", .call = twice, .u = {.parts = {.high = 4}}};
static const record_t zero = {0};
static const int table[] = {[3] = 30, [1] = 10, 11, [6] = 60};
static const int ranges[10] = {[2 ... 4] = 7, [8] = 1, [0 ... 1] = 3};
static const point_t points[] = {[1] = {.y = 1}, {.z = 2}, [0].x = 9, [TWO + 1] = {1, 2, 3}};
static const char *const names[MANY] = {[ONE] = "one", [TWO] = "two"};
static const char exact[3] = "abc", escaped[4] = "a\n\x41\"", shorter[5] = "ab", open[] = "open";
static const char many[][4] = {"four", "two", {'o', 'n', 'e'}};
static const struct { unsigned char size; char text[4]; } packed_text = {4, "size"};
static const struct { point_t p; int rest; } nested = {{.y = 2}, .rest = 5};
static const struct { int n; struct { int anonymous; union { int left; long right; }; }; } nameless = {
    .left = 8, .n = 1, .anonymous = 2,
};

struct flexible { int n; const char *tail[]; };
static const struct flexible list = {.n = 2, .tail = {"x", "yz"}};

struct self { const struct self *me; const void *any; int value; const char *bytes; };
static const struct self self = {
    .me = &self, .any = &self, .value = 4, .bytes = (const void *)&self,
};
static const struct self b;
static const struct self a = {.value = 1, .me = &b};
static const struct self b = {.value = 2, .me = &a};

static int counter = 5;
static int *const to_counter = &counter;
static struct holder { int *p; point_t at; } mutable_one = {.at = {.y = 3}, .p = &counter};
static point_t some[2] = {[1] = {1, 2, 3}};
static count_t current = TWO;
static unsigned char bytes[4] = "ab";
static const char *text = "text";
static double wide;

struct named { int low; char name[8]; };

static int count_calls(void) {
    static int calls = 10, more[2] = {1, 2};
    static const int step = 2;
    static struct named local = {.name = "local"};
    local.low++;
    return (calls += step) + more[1]++ + local.low + local.name[0];
}

static int other_count(void) {
    static int calls;
    return ++calls;
}

static int sum_points(const point_t *p, size_t n) {
    int sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += p[i].x + 10 * p[i].y + 100 * p[i].z;
    }
    return sum;
}

static int sum_ints(const int *p, size_t n) {
    int sum = 0;
    while (n-- > 0) {
        sum = sum * 3 + p[n];
    }
    return sum;
}

static int locals(int a) {
    point_t p = {.z = a, .x = a + 1};
    point_t q[2] = {[1].y = a};
    int t[5] = {[4] = a};
    record_t r = {.u.parts.low = a, .first = a > 1 ? ONE : ZERO, .points = {[1] = p}};
    char name[2] = "no";
    return sum_points(&p, 1) + sum_points(q, 2) + sum_ints(t, 5) + r.u.parts.low + r.first
        + sum_points(r.points, 3) + name[1] + r.inner.a;
}

static int literals(int a) {
    int sum = sum_ints((int[]){a, a + 1, a + 2}, 3);
    sum += sum_ints((int[6]){a, 1}, 6);
    sum += sum_ints((int[4]){[2] = a}, 4);
    sum += sum_points(&(point_t){.y = a}, 1);
    sum += sum_points((point_t[]){{1, a}, {.z = 2}}, 2);
    sum += sum_points((const point_t[2]){{a, a, a}}, 2);
    const int *p = &(const int){a};
    sum += *p + (point_t){a, 2, 3}.y;
    for (int i = 0; i < 2; i++) {
        int *fresh = (int[3]){0};
        fresh[i] += 5;
        sum += sum_ints(fresh, 3);
    }
    struct fixed { const int f; int *q; };
    struct fixed *held = &(struct fixed){a, &sum};
    *held->q += held->f;
    const char *word = (char[]){'w', 'o', 'r', 'd'};
    const char *const *words = (const char *const[]){"one", "two"};
    struct part { int n[3]; };
    int *part = (struct part){{a, 2, 3}}.n;
    count_t kinds[1];
    kinds[0] = (count_t[]){ONE, TWO, MANY}[a % 3];
    return sum + word[2] + words[1][1] + part[2] + kinds[0];
}

static const point_t *const kept = &(const point_t){.z = 6};
static const int *const kept_list = (const int[]){4, 5, 6};

static int lengths(int n) {
    int sum = 0;
    int squares[n + 1];
    for (int i = 0; i <= n; i++) {
        squares[i] = i * i;
    }
    for (int i = 0; i <= n; i++) {
        sum += squares[i];
    }
    return sum;
}

static int lengths_in_loop(int n) {
    int sum = 0;
    for (int round = 0; round < 1000; round++) {
        int values[n * 100 + 1];
        for (int i = 0; i <= n * 100; i++) {
            values[i] = i + round;
        }
        sum += values[n * 100 - 1 + (n == 0)];
    }
    return sum;
}

// A jump crosses a declaration that sets a member of a nameless struct inside a union.
static int crossed(int a) {
    if (a > 2) {
        goto out;
    }
    union { int whole; struct { int low, high; }; } u = {.high = a + 5};
    a = u.high * 10 + u.low;
out:
    return a;
}

int program(void) {
    put("order", out_of_order.points[2].y + out_of_order.points[0].z + out_of_order.inner.deep.c);
    put("order", out_of_order.call(out_of_order.inner.a) + out_of_order.first + out_of_order.more);
    put_double("order", out_of_order.u.d);
    put("gaps", gaps.u.parts.high + gaps.call(4) + gaps.name[0] + gaps.points[2].z);
    put("zero", zero.first + (zero.name == NULL) + zero.bits);
    put("table", sizeof table + sum_ints(table, sizeof table / sizeof *table));
    put("ranges", sum_ints(ranges, 10));
    put("points", sizeof points + sum_points(points, sizeof points / sizeof *points));
    put("names", names[1][0] + names[2][0] + (names[99] == NULL));
    put("exact", exact[2] + escaped[0] + escaped[1] * 2 + escaped[2] * 3 + escaped[3] * 5);
    put("sizes", sizeof exact + sizeof shorter * 10 + sizeof open * 100 + shorter[4] + open[3]);
    put("many", many[0][3] + many[1][3] + many[2][2]);
    put("packed", packed_text.text[3] + packed_text.size);
    put("nested", nested.p.y + nested.rest);
    put("nameless", nameless.n + 10 * nameless.anonymous + 100 * nameless.left);
    put("flexible", list.n + list.tail[1][1]);
    put("self", self.me->me->value + ((const struct self *)self.any)->value);
    put("self", ((const struct self *)(const void *)self.bytes)->value);
    put("cycle", a.me->value * 10 + b.me->value);
    put("state", *to_counter + *mutable_one.p + mutable_one.at.y + some[1].z + current);
    put("state", bytes[1] + text[3] + (wide == 0));
    counter = 9;
    mutable_one.at.y++;
    put("state", *to_counter + *mutable_one.p + mutable_one.at.y);
    put("static", count_calls());
    put("static", count_calls() + other_count() * 1000);
    put("static", count_calls() + other_count() * 1000);
    for (int i = 0; i < 4; i++) {
        put("locals", locals(i));
        put("literals", literals(i));
        put("lengths", lengths(i));
        put("lengths in loop", lengths_in_loop(i));
        put("crossed", crossed(i));
    }
    put("kept", kept->z + kept_list[2]);
    return 0;
}
