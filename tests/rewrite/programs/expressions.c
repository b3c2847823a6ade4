#include "program.h"

static int steps;

static int step(int value) {
    steps++;
    return need(value);
}

static int in_condition(int a, int b) {
    if (step(a) > 1) {
        return 10;
    } else if (step(b) > 1) {
        return 20;
    }
    return 30;
}

static int in_loops(int limit) {
    int sum = 0;
    for (int i = step(5); step(limit - i) > 1; i += step(1)) {
        sum += i;
    }
    int n = 3;
    while (step(n) > 1) {
        n--;
    }
    do {
        sum += step(n++);
    } while (step(limit - n) > 2);
    return sum;
}

static int in_initialisers(int a) {
    int x = step(a), *p = &x, y = step(*p - 1);
    int table[3] = {step(x), 2, step(y)};
    struct { int a, b; } both = {.b = step(y), .a = step(x)};
    return table[0] * 1000 + table[2] * 100 + both.a * 10 + both.b;
}

static int choose(int a, int b, int c) {
    return step(a) > 1 ? step(b) : step(c);
}

static int short_circuit(int a, int b, int c) {
    return (step(a) > 1 && step(b) > 1) || step(c) > 1;
}

static int with_comma(int a, int b) {
    int x = (step(a), step(b), 7);
    return step(x), x + 1;
}

static int nested(int a) {
    return step(step(step(a) - 1) - 1) + step(a);
}

static int in_switch(int a, int b) {
    switch (step(a)) {
        case 1:
            return step(b);
        case 2:
            step(b);
        case 3: {
            int x = step(b);
            return x * 2;
        }
        default:
            break;
    }
    return -1;
}

static int in_subscript(int a) {
    int table[4] = {4, 3, 2, 1};
    table[step(a)] += step(table[step(a - 1)]);
    return table[a];
}

static int in_statement_expression(int a) {
    int x = ({ int y = step(a); step(y - 1); y + 1; });
    return x + ({ step(x - 3); });
}

static int in_operators(int a) {
    int x = -step(a) + ~step(a) - !step(a);
    x |= step(a) << step(a - 1);
    return x + (int)(char)step(a) + (step(a) ?: 5);
}

static long address_of_member(int a) {
    struct pair { int x, y; } pairs[2] = {{1, 2}, {3, 4}};
    struct pair *p = &pairs[step(a) - 1];
    int *q = &(step(a), p)->y;
    return *q;
}

int program(void) {
    SHOW("condition", in_condition(2, 2));
    SHOW("condition", in_condition(1, 2));
    SHOW("condition", in_condition(1, -1));
    SHOW("condition", in_condition(-1, 1));
    for (int limit = 5; limit < 12; limit++) {
        SHOW("loops", in_loops(limit));
    }
    for (int a = 0; a < 4; a++) {
        SHOW("initialisers", in_initialisers(a));
        SHOW("nested", nested(a));
        SHOW("choose", choose(a, a - 1, 3 - a));
        SHOW("short circuit", short_circuit(a, a - 1, 2 - a));
        SHOW("comma", with_comma(a, 3 - a));
        SHOW("switch", in_switch(a, 3 - a));
        SHOW("switch", in_switch(a, a));
        SHOW("subscript", in_subscript(a));
        SHOW("statement expression", in_statement_expression(a));
        SHOW("operators", in_operators(a));
        SHOW("address", a < 3 ? address_of_member(a) : 0);
    }
    put("steps", steps);
    return 0;
}
