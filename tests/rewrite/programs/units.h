// Declarations that the two units of one program share.
#include "program.h"

typedef struct table { const char *name; int (*run)(int); const struct table *next; } table_t;

int shared_tentative; // defined tentatively by both units
extern int shared_counter;
extern const table_t first_table, second_table;
extern const int *const to_counter;

// Each unit has its own copy, and its own `calls`.
static inline int count_here(void) {
    static int calls = 100;
    return ++calls;
}

int other_raise(int value);
int other_count(void);
int other_protected(int value);
