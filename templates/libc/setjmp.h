// <setjmp.h> for the unwinding rule. setjmp and longjmp keep their names, because the rule
// recognizes them.
#ifndef PORTER_SETJMP_H
#define PORTER_SETJMP_H

#ifdef PORTER_NATIVE_SETJMP
// The plain C reference build uses the host library's setjmp, whose buffer needs up to 200 bytes
// (glibc).
typedef struct {
    unsigned long words[32];
} jmp_buf[1];

__attribute__((returns_twice)) int _setjmp(jmp_buf buffer);
#define setjmp _setjmp
#else
// setjmp saves no registers. longjmp records the buffer's address as the unwind target and returns,
// and the function that owns the buffer resumes at its setjmp. The buffer has one word, so that its
// address is unique.
typedef struct {
    unsigned long mark;
} jmp_buf[1];

// The rule rewrites setjmp; longjmp is an ordinary function of the runtime.
int setjmp(jmp_buf buffer);
#define longjmp porter_longjmp
#endif

_Noreturn void longjmp(jmp_buf buffer, int value);

#endif
