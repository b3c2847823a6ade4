// setjmp and longjmp keep their names: the unwinding rule recognises them.
#ifndef PORTER_SETJMP_H
#define PORTER_SETJMP_H

// Nothing is saved: longjmp records the buffer's address as the unwind target and returns, and
// the function that owns the buffer resumes at its setjmp. One word makes the address unique.
typedef struct {
    unsigned long mark;
} jmp_buf[1];

// Only the names differ from libc: the rule looks for setjmp, which no unit may define.
#define longjmp porter_longjmp
int setjmp(jmp_buf buffer);
_Noreturn void longjmp(jmp_buf buffer, int value);

#endif
