// differs: p294 p294_f2: C a41c53d3f550d992, C++ d6ceab7549994563
// seed 1, program 294
// header
typedef int (*p294_call_t)(int);
enum p294_e1 { p294_K2, p294_K3, p294_K4 = 50 };
enum constexpr { p294_K5 = 1 << 10, p294_K6, p294_K7 };
union consteval {
    struct {
        const char *m9;
        size_t m10;
    };
    int m11;
};
union p294_u12 {
    int m13;
};
struct p294_s14 {
    union {
        unsigned char not[4];
        unsigned char m16[4];
        int m17;
        uint32_t m18;
        uint32_t m19;
    } m15;
    struct p294_s21 {
        unsigned m22;
        int64_t m23;
        unsigned m24 : 14;
    } m20;
    enum p294_e1 m25;
    double m26;
};
extern unsigned long p294_sum;
extern int p294_fuel;
extern int (*p294_table[4])(int);
extern enum constexpr p294_g3[4];
extern const char *p294_g5;
int p294_f0(int a);
uint16_t p294_f2(int a);
void p294_show(void);
// first
static int p294_f1(int a);
static long p294_f3(int a, ...);
static double p294_g2 = 1e3;
const char *p294_g5;
unsigned long p294_sum = 1;
int p294_fuel;
int p294_f0(int a) {
if (p294_fuel-- <= 0) { return p294_K7; }
if ((sizeof(char) / ((4u & 7) + 1))) {
p294_g3[3] |= a;
if (((*(int (*)(int))p294_f0)(10) / ((((short[4]){a, a})[0] & 7) + 1))) goto l1;
mix(&p294_sum, p294_g3[3]);
l1:;
static const struct p294_s14 v2 = {{{245},}, {.m24 = 2, .m23 = 420267535292, .m22 = 3739221732}, p294_K4, 1e3};
}
mix(&p294_sum, need(255));
if (({ const int b307 = (enum constexpr)(({ long b312 = 255u; b312 + 1048576l; })); b307 + ((!a) / (((0 & a) & 7) + 1)); })) {
if (({ long b342 = need((-100)); b342 + (a || a); })) goto l3;
if (need(p294_K7)) { return p294_K7; }
p294_g3[1] *= p294_K7;
l3:;
}
mix(&p294_sum, '\'');
enum constexpr v4 = (+a);
return (p294_g5 == 0);
}
static int p294_f1(int a) {
if (p294_fuel-- <= 0) { return 255; }
mix(&p294_sum, 5);
p294_g3[2]--;
static const unsigned v1 = p294_K5;
switch (p294_f0((!('\'' ? a : p294_K7))) & 7) {
default:;
for (int l2 = 0; l2 < 3; l2++) {
enum constexpr and = p294_K7;
struct l3 { int xor_eq; short b; } not_eq = {.b = 18, .xor_eq = p294_K6};
mix_text(&p294_sum, (char[]){65535, 100, 100}, 3);
}
mix(&p294_sum, 100);
mix(&p294_sum, 255);
break;
case 4 ... 6:;
p294_g2 = 0.25f;
mix(&p294_sum, 65535);
long v4 = 255;
break;
case 2: case 3:;
mix(&p294_sum, (-2));
mix(&p294_sum, (-1048576));
mix(&p294_sum, p294_K7);
case 1:;
mix_text(&p294_sum, (char[]){p294_K7, (p294_K7 ? p294_K7 : 1048576l), 100}, 3);
mix(&p294_sum, 100);
mix(&p294_sum, 100);
case 0:;
mix(&p294_sum, (-255));
mix(&p294_sum, p294_K5);
if (a) {
mix(&p294_sum, (p294_g5 == 0));
mix(&p294_sum, p294_K4);
}
}
return p294_K3;
}
uint16_t p294_f2(int a) {
if (p294_fuel-- <= 0) { return p294_K7; }
struct l2 { int co_return; short b; } v1 = {.b = (~a), .co_return = ((-255) ? p294_g3[2] : a)};
mix(&p294_sum, p294_K5);
{
handler_t l3;
if (PUSH(&l3)) {
mix(&p294_sum, l3.value);
mix_double(&p294_sum, 0.25f);
{
volatile int l5 = 2;
do {
long new[3 + !a];
new[0] = (p294_K6, v1.b);
new[1] = (v1.b ? 1048576 : 65535l);
p294_g3[3] *= (((short[]){new[1], p294_K7, 4})[2] / ((p294_K7 & 7) + 1));
{
handler_t l6;
if (PUSH(&l6) == 0) {
p294_g3[1] = (({ unsigned char b789 = ('0' ?: p294_K7); b789 + p294_K7; }) || "ab" "cd"[1048576 & 3]);
POP();
}
else {
mix(&p294_sum, l6.value);
mix(&p294_sum, p294_g3[3]);
long v7[3 + !a];
v7[0] = (+p294_g3[3]);
v7[1] = (-1048576);
mix(&p294_sum, (v1.b | v1.b));
}
}
} while (l5-- > 0 && 1048576);
}
}
else {
const union p294_u12 v4 = {(v1.b || p294_K6)};
POP();
}
}
if (p294_g3[3]) goto l8;
mix(&p294_sum, (((&p294_g2 != NULL) ?: p294_g3[2]) | v1.b));
p294_f0(p294_f0(100));
mix(&p294_sum, 100);
l8:;
mix(&p294_sum, 100);
mix(&p294_sum, 100);
return 100;
}
static long p294_f3(int a, ...) {
if (p294_fuel-- <= 0) { return 100; }
va_list list;
va_start(list, a);
for (int i_ = 0; i_ < a; i_++) { mix(&p294_sum, va_arg(list, int)); }
mix_double(&p294_sum, va_arg(list, double));
mix_text(&p294_sum, va_arg(list, const char *), 4);
va_end(list);
mix(&p294_sum, 100);
return 100;
}
static void p294_show0(void) {
mix_double(&p294_sum, p294_g2);
mix(&p294_sum, p294_g3[0]);
mix(&p294_sum, p294_g3[1]);
mix(&p294_sum, p294_g3[2]);
mix(&p294_sum, p294_g3[3]);
mix(&p294_sum, p294_g5 == 0);
}
void p294_run(void) {
p294_show();
p294_show0();
put("p294 start", p294_sum);
{
handler_t h;
p294_fuel = 150;
if (PUSH(&h) == 0) {
p294_f0(100);
POP();
} else {
mix(&p294_sum, h.value);
}
}
put("p294 p294_f0", p294_sum);
{
handler_t h;
p294_fuel = 150;
if (PUSH(&h) == 0) {
p294_f1(100);
POP();
} else {
mix(&p294_sum, h.value);
}
}
put("p294 p294_f1", p294_sum);
{
handler_t h;
p294_fuel = 150;
if (PUSH(&h) == 0) {
p294_f2(100);
POP();
} else {
mix(&p294_sum, h.value);
}
}
put("p294 p294_f2", p294_sum);
{
handler_t h;
p294_fuel = 150;
if (PUSH(&h) == 0) {
p294_f3(0, 1.5, "end");
POP();
} else {
mix(&p294_sum, h.value);
}
}
put("p294 p294_f3", p294_sum);
p294_show();
p294_show0();
put("p294 end", p294_sum);
}
int (*p294_table[4])(int) = {p294_f1, p294_f1, p294_f1, &p294_f0};
enum constexpr p294_g3[4] = {p294_K7, 2};
// second
static int p294_f4(int a, const struct p294_s14 *p0, struct p294_s14 p1);
static int p294_f5(int a, struct p294_s14 p0);
static const int64_t p294_g0[5] = {[1 ... 4] = 756173163052};
static const _Bool p294_g1 = 0;
static long long p294_g4;
static int p294_f4(int a, const struct p294_s14 *p0, struct p294_s14 p1) {
if (p294_fuel-- <= 0) { return 100; }
mix(&p294_sum, 100);
return 100;
}
static int p294_f5(int a, struct p294_s14 p0) {
if (p294_fuel-- <= 0) { return 100; }
mix(&p294_sum, 100);
return 100;
}
void p294_show(void) {
mix(&p294_sum, p294_g0[0]);
mix(&p294_sum, p294_g0[1]);
mix(&p294_sum, p294_g0[2]);
mix(&p294_sum, p294_g0[3]);
mix(&p294_sum, p294_g0[4]);
mix(&p294_sum, p294_g1);
mix(&p294_sum, p294_g3[0]);
mix(&p294_sum, p294_g3[1]);
mix(&p294_sum, p294_g3[2]);
mix(&p294_sum, p294_g3[3]);
mix(&p294_sum, p294_g4);
mix(&p294_sum, p294_g5 == 0);
}
static long long p294_g4 = !0;
