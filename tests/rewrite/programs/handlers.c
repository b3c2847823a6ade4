#include "program.h"

static int in_loop(int n) {
    volatile int sum = 0;
    for (volatile int i = -2; i < n; i++) {
        handler_t handler;
        if (PUSH(&handler) == 0) {
            sum += need(i);
            POP();
        } else {
            sum += handler.value * 1000;
            continue;
        }
        sum += 1;
    }
    return sum;
}

static int two_handlers(int a, int b) {
    volatile int seen = 0;
    handler_t first, second;
    if (PUSH(&first) == 0) {
        need(a);
        POP();
    } else {
        seen += 1;
    }
    if (PUSH(&second) == 0) {
        need(b);
        POP();
    } else {
        seen += 2;
    }
    need(a + b + 10);
    return seen;
}

static int nested_handlers(int a, int b) {
    handler_t outer, inner;
    volatile int seen = 0;
    if (PUSH(&outer) == 0) {
        if (PUSH(&inner) == 0) {
            need(a);
            POP();
        } else {
            seen |= 1;
            need(b); // raised inside a handler: the outer one gets it
            seen |= 2;
        }
        need(b + 1);
        POP();
        seen |= 4;
    } else {
        seen |= 8;
    }
    return seen;
}

static int raises_again(int a) {
    handler_t handler;
    if (PUSH(&handler) == 0) {
        int n = need(a);
        POP();
        return n;
    } else {
        raise_value(handler.value + 1);
    }
}

static int without_else(int a) {
    handler_t handler;
    volatile int seen = 0;
    if (PUSH(&handler) == 0) {
        need(a);
        POP();
        seen = 1;
    }
    return seen + need(a + 1);
}

static int negated(int a) {
    handler_t handler;
    if (!PUSH(&handler)) {
        need(a);
        POP();
        return 1;
    }
    return 2;
}

static int handler_first(int a) {
    handler_t handler;
    if (PUSH(&handler)) {
        return handler.value;
    }
    int n = need(a);
    int m = n + need(a - 1);
    POP();
    return n + m;
}

static int by_variable(int a) {
    jmp_buf buffer;
    handler_t *saved = top;
    handler_t handler;
    int code = PUSH(&handler);
    if (code == 0) {
        need(a);
        top = saved;
        return 1;
    }
    (void)buffer;
    return code;
}

static int by_assignment(int a) {
    handler_t handler;
    int code;
    code = PUSH(&handler);
    if (code != 0) {
        return code + 1000;
    }
    need(a);
    POP();
    return 1;
}

static int by_switch(int a) {
    handler_t handler;
    switch (PUSH(&handler)) {
        case 0: {
            int n = need(a);
            POP();
            return n;
        }
        case 100:
            return -100;
        case 101:
            return -101;
        default:
            return -1;
    }
}

static int by_while(int a) {
    handler_t handler;
    volatile int rounds = 0;
    while (PUSH(&handler) == 0) {
        need(a - rounds);
        POP();
        rounds++;
    }
    return rounds * 1000 + handler.value;
}

// The same buffer is the target of several landings.
static int entered_again(int n) {
    jmp_buf buffer;
    handler_t handler;
    volatile int count = 0;
    if (setjmp(handler.buffer) != 0) {
        count++;
    }
    (void)buffer;
    handler.previous = top;
    top = &handler;
    if (count < n) {
        need(-count);
    }
    POP();
    return count;
}

static int direct(void) {
    jmp_buf buffer;
    volatile int count = 0;
    int code = setjmp(buffer);
    if (count < 3) {
        count++;
        longjmp(buffer, count - 1); // 0 arrives as 1
    }
    return code * 10 + count;
}

// The call precedes the setjmp of the previous iteration.
static int call_before_setjmp(int n) {
    handler_t handler;
    volatile int i = 0;
    for (;;) {
        if (i > 0) {
            need(n - i);
            POP();
        }
        if (PUSH(&handler) != 0) {
            return handler.value + i;
        }
        i++;
    }
}

// The setjmp is in a block that is left before the call.
static int call_outside_block(int a, bool guard) {
    handler_t handler;
    volatile int seen = 0;
    {
        int before = a + 1;
        if (guard) {
            int inside = before * 2;
            if (PUSH(&handler) != 0) {
                return handler.value + seen + inside * 0;
            }
        }
    }
    seen = 1;
    int n = need(a);
    if (guard) {
        POP();
    }
    return n;
}

static int pushed;

// Pushes unless it raises; a landing must not push again.
static int push(handler_t *handler, int value) {
    need(value);
    handler->previous = top;
    top = handler;
    return ++pushed;
}

// The expression before the comma may raise too, to an outer handler.
static int push_raises(int a, int b) {
    handler_t handler;
    if ((push(&handler, a), setjmp(handler.buffer)) == 0) {
        int n = need(b);
        POP();
        return n;
    }
    return handler.value * 10 + pushed;
}

// The pointer to the buffer changes before the call.
static int moving_pointer(int a) {
    handler_t one, two;
    handler_t *handler = &one;
    volatile int code = 0;
    handler->previous = top;
    top = handler;
    code = setjmp(handler->buffer);
    if (code != 0) {
        return one.value + 5;
    }
    handler = &two;
    need(a);
    top = one.previous;
    return handler == &two;
}

static int back_by_goto(int n) {
    handler_t handler;
    volatile int i = 0;
again:
    if (i > 0) {
        need(n - i);
        POP();
    }
    i++;
    if (PUSH(&handler) != 0) {
        return handler.value * 10 + i;
    }
    goto again;
}

static int switch_in_loop(int n) {
    volatile int sum = 0;
    handler_t handler;
    for (volatile int i = 0; i < n; i++) {
        if (PUSH(&handler) == 0) {
            switch (i % 3) {
                case 0:
                    sum += need(2 - i);
                    break;
                case 1:
                    for (int k = 3; k > -3; k--) {
                        switch (need(k)) {
                            case 1:
                                sum += need(1 - i);
                                continue;
                            default:
                                sum += 2;
                        }
                    }
                    break;
                default:
                    sum += 100;
            }
            POP();
        } else {
            sum += handler.value;
        }
    }
    return sum;
}

int program(void) {
    SHOW("loop", in_loop(4));
    for (int a = -1; a < 3; a++) {
        for (int b = -1; b < 2; b++) {
            SHOW("two handlers", two_handlers(a, b));
            SHOW("two handlers, far", two_handlers(a - 9, b));
            SHOW("nested handlers", nested_handlers(a, b));
            SHOW("push raises", push_raises(a, b));
        }
        SHOW("again", raises_again(a));
        SHOW("without else", without_else(a));
        SHOW("negated", negated(a));
        SHOW("handler first", handler_first(a));
        SHOW("variable", by_variable(a));
        SHOW("assignment", by_assignment(a));
        SHOW("switch", by_switch(a));
        SHOW("while", by_while(a));
        SHOW("entered again", entered_again(a + 1));
        SHOW("before setjmp", call_before_setjmp(a + 2));
        SHOW("outside block", call_outside_block(a, true));
        SHOW("outside block", call_outside_block(a, false));
        SHOW("moving pointer", moving_pointer(a));
        SHOW("goto", back_by_goto(a + 2));
    }
    SHOW("direct", direct());
    SHOW("switch in loop", switch_in_loop(7));
    return 0;
}
