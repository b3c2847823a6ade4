#include "program.h"

typedef struct node { struct node *next; int (*visit)(struct node *, int); int value; } node_t;

static int depth_reached, left_normally;

static int descend(int depth) {
    depth_reached = depth;
    if (depth == 0) {
        raise_value(77);
    }
    int below = descend(depth - 1);
    left_normally++;
    return below + 1;
}

static int odd(int n);
static int even(int n) { return n == 0 ? need(-5) : odd(n - 1); }
static int odd(int n) { return n == 0 ? 1 : even(n - 1); }

static int visit_plain(node_t *node, int n) { return node->value + n; }
static int visit_need(node_t *node, int n) { return need(node->value) + n; }
static int visit_next(node_t *node, int n) {
    return node->next == NULL ? n : node->next->visit(node->next, n + node->value);
}

static int (*const table[])(int) = {need, even, descend};

static int sort_key(const void *a) { return need(*(const int *)a); }

static int largest(const int *items, size_t n, int (*key)(const void *)) {
    int best = key(items);
    for (size_t i = 1; i < n; i++) {
        int now = (*key)(&items[i]);
        best = now > best ? now : best;
    }
    return best;
}

static int pick(bool first) { return (first ? need : even)(3); }

static int (*chosen(int n))(int) { return table[need(n) - 1]; }

static int varied(int n, ...) {
    __builtin_va_list list;
    __builtin_va_start(list, n);
    int sum = 0;
    while (n-- > 0) {
        sum += need(__builtin_va_arg(list, int));
    }
    __builtin_va_end(list);
    return sum;
}

static int recursive_handlers(int n) {
    handler_t handler;
    if (PUSH(&handler) == 0) {
        int value = n == 0 ? need(-1) : recursive_handlers(n - 1);
        POP();
        return value;
    }
    if (n < 3) {
        raise_value(handler.value + 1);
    }
    return handler.value;
}

int program(void) {
    SHOW("descend", descend(50));
    put("depth", depth_reached);
    put("left normally", left_normally);
    SHOW("mutual", even(20));
    SHOW("mutual", even(21));
    node_t nodes[4] = {
        {.visit = visit_next, .value = 1, .next = &nodes[1]},
        {.visit = visit_next, .value = 2, .next = &nodes[2]},
        {.visit = visit_plain, .value = 3},
        {.visit = visit_need, .value = -3},
    };
    SHOW("visit", nodes[0].visit(nodes, 5));
    nodes[1].next = &nodes[3];
    SHOW("visit", nodes[0].visit(nodes, 5));
    SHOW("table", table[0](-9));
    SHOW("table", (*table[2])(9));
    static const int good[] = {3, 9, 4}, bad[] = {3, 9, -4, 7};
    SHOW("keys", largest(good, 3, sort_key));
    SHOW("keys", largest(bad, 4, sort_key));
    SHOW("pick", pick(true));
    SHOW("pick", pick(false));
    for (int n = 0; n < 4; n++) {
        SHOW("chosen", chosen(n)(4));
    }
    SHOW("varied", varied(3, 1, 2, 3));
    SHOW("varied", varied(3, 1, -2, 3));
    SHOW("handlers", recursive_handlers(10));
    return 0;
}
