// setjmp and longjmp keep their names: the unwinding rule recognises them.
#ifndef PORTER_SETJMP_H
#define PORTER_SETJMP_H

#ifdef PORTER_NATIVE_SETJMP
// The plain C reference build: the host library's own, which needs up to 200 bytes (glibc).
typedef struct {
    unsigned long words[32];
} jmp_buf[1];

__attribute__((returns_twice)) int _setjmp(jmp_buf buffer);
#define setjmp _setjmp
#else
// Nothing is saved: longjmp records the buffer's address as the unwind target and returns, and
// the function that owns the buffer resumes at its setjmp. One word makes the address unique.
typedef struct {
    unsigned long mark;
} jmp_buf[1];

// The rule looks for setjmp; longjmp is an ordinary function of the runtime.
int setjmp(jmp_buf buffer);
#define longjmp porter_longjmp
#endif

_Noreturn void longjmp(jmp_buf buffer, int value);

#endif
