// differs: p93 end: C 99c487823937314c, C++ 99c4a082393633c1
// seed 1, program 93
// header
typedef int (*p93_call_t)(int);
enum p93_e1 { p93_K2, p93_K3, p93_K4 = 5 };
enum p93_e5 { p93_K6, p93_K7, p93_K8 = 'c', p93_K9 };
struct p93_s10 {
    char m11;
};
extern unsigned long p93_sum;
extern int p93_fuel;
extern int (*const p93_table[4])(int);
void p93_show(void);
// first
static int p93_f0(int a);
static int p93_f1(int a);
static char p93_g0;
unsigned long p93_sum = 1;
int p93_fuel;
static int p93_f0(int a) {
if (p93_fuel-- <= 0) { return need((100 >= 100l)); }
static enum p93_e1 static_cast;
{
int l1 = 1;
while (l1-- > 0) {
mix(&p93_sum, a);
}
}
size_t v2 = (enum p93_e5)((p93_K2 == p93_f1(static_cast)));
v2 += 100;
return 100;
}
static int p93_f1(int a) {
if (p93_fuel-- <= 0) { return need(255); }
++p93_g0;
switch (p93_f1(((const void *)&p93_g0 == &p93_g0)) & 7) {
case 0:;
{
int l1 = 2;
do {
for (int l2 = 0; l2 < 2; l2++) {
p93_g0 += p93_K7;
int dynamic_cast[(a & 3) + 2];
dynamic_cast[0] = (100 ? 100 : 100);
dynamic_cast[1] = 100;
}
mix(&p93_sum, 100);
} while (l1-- > 0);
}
case 1:;
mix(&p93_sum, (a ? p93_K4 : ((+a) ? a : 100)));
mix(&p93_sum, p93_K9);
mix(&p93_sum, 0u);
break;
case 2: case 3:;
char v3 = (p93_K9 % ((100 & 7) + 1));
int v4 = 2147483647u;
mix(&p93_sum, (struct p93_s10){.m11 = p93_K9}.m11);
case 4 ... 6:;
static char v5[4];
mix(&p93_sum, 100);
default:;
p93_g0--;
break;
}
mix(&p93_sum, 100);
p93_g0 += 100;
return 100;
}
static void p93_show0(void) {
mix(&p93_sum, p93_g0);
}
void p93_run(void) {
p93_show();
p93_show0();
put("p93 start", p93_sum);
{
handler_t h;
p93_fuel = 150;
if (PUSH(&h) == 0) {
p93_f0(100);
POP();
} else {
mix(&p93_sum, h.value);
}
}
put("p93 p93_f0", p93_sum);
{
handler_t h;
p93_fuel = 150;
if (PUSH(&h) == 0) {
p93_f1(100);
POP();
} else {
mix(&p93_sum, h.value);
}
}
put("p93 p93_f1", p93_sum);
p93_show();
p93_show0();
put("p93 end", p93_sum);
}
int (*const p93_table[4])(int) = {p93_f1, p93_f0, p93_f0, p93_f0};
// second
static long p93_f2(int a, ...);
static long p93_f2(int a, ...) {
if (p93_fuel-- <= 0) { return 100; }
va_list list;
va_start(list, a);
for (int i_ = 0; i_ < a; i_++) { mix(&p93_sum, va_arg(list, int)); }
mix_double(&p93_sum, va_arg(list, double));
mix_text(&p93_sum, va_arg(list, const char *), 4);
va_end(list);
mix(&p93_sum, 100);
return 100;
}
void p93_show(void) {
}
