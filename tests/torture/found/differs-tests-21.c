// differs: p21 start 039d844b110c1a77
// seed tests, program 21
// header
typedef int (*p21_call_t)(int);
enum p21_e1 { p21_K2, p21_K3 = 54 };
struct p21_s4 {
    const char *m5;
    int64_t m6;
    size_t or;
};
struct p21_s7 {
    _Bool m8;
    p21_call_t m9;
};
struct p21_s10 {
    struct p21_s7 m11[1][4];
    double m12[3];
    short m13;
    struct {
        signed char m15[4];
        struct p21_s7 m16;
        int : 7;
        enum p21_e1 m17 : 31;
    };
};
struct p21_s18 {
    enum p21_e1 m19;
    size_t m20[1];
    const char *m21;
    struct {
        short m23;
        struct p21_s10 m24;
    };
    char m25;
};
extern unsigned long p21_sum;
extern int p21_fuel;
extern int (*p21_table[4])(int);
extern const long p21_g0;
extern const float p21_g4;
extern float p21_g5;
struct p21_flexible { int n; int tail[]; };
void p21_f2(int a);
void p21_show(void);
// first
static int p21_f0(int a);
static int p21_f1(int a);
const float p21_g4 = 1e3;
static int p21_t0[3] = {4, 5, 6};
static const int p21_t1[] = {7, 8};
static const int *p21_p0 = p21_t1;
unsigned long p21_sum = 1;
int p21_fuel;
static int p21_f0(int a) {
if (p21_fuel-- <= 0) { return (need(19) ?: 16u); }
static float v1 = -0.25f;
{
{
int l3 = 0;
if ((a & (int)sizeof((6l ? a : a)))) goto l2;
for (; l3 < 3; l3++) {
{
int l5 = 0;
l4:;
v1 = (double)(p21_g0);
mix(&p21_sum, to_int(v1));
if (++l5 < 3) goto l4;
}
static double v6;
struct p21_s18 v7 = {p21_K2, {(a & p21_p0[0])}, "text", {.m23 = (17 * p21_p0[0]), .m24.m16 = {to_int(v6)}, .m24.m15[1] = (p21_g0, (-13)), .m24.m15[0] = 17, .m24.m17 = (to_int(p21_g5) + 16l), .m24.m13 = (p21_g0 | a), .m24.m11 = {{{(to_int(p21_g5) != to_int(v1)), p21_f1,}}}, .m24.m12[0] = 1e3}, (p21_K2 % ((15 & 7) + 1))};
l2:;
mix(&p21_sum, to_int(tame(tame(p21_g4) - 0x1p-3)));
mix(&p21_sum, (p21_p0[0] != to_int(p21_g4)));
}
}
p21_f1(((100u * a) - (p21_g0 ? p21_g0 : a)));
}
struct p21_s18 v8 = {p21_K2};
static double v9 = -0.25f;
return p21_f1((-9));
}
static int p21_f1(int a) {
if (p21_fuel-- <= 0) { return ((255 & (-65535)) ? ((-12) && p21_K2) : (11 - 1048576u)); }
unsigned long v1 = to_int(p21_g5);
v1--;
{
int l2 = 2;
switch (p21_f1((p21_p0[0] > a)) & 3) {
case 0: do {
{
int l4 = 0;
l3:;
if (v1) {
struct l6 { int a; short b; } v5 = {.b = ((const void *)&v1 == &v1), .a = p21_p0[0]};
static const struct p21_s4 v7 = {.or = 115};
p21_g5 = tame(p21_g4);
}
{
int l8 = 1;
while (l8-- > 0) {
mix(&p21_sum, (struct p21_s7){.m9 = &p21_f0, .m8 = (((unsigned long)'0' << (v1 & 15)) >> (p21_p0[0] & 7))}.m8);
}
}
if (++l4 < 3) goto l3;
}
case 1:;
{
int v9[(a & 3) + 2];
v9[0] = (2147483647u, p21_g0);
v9[1] = (p21_g0 || 16u);
p21_g5 = tame(1e3 - 0.25f);
size_t v10 = p21_f1(((v9[0] + v9[1]) ? (to_int(p21_g5) ?: to_int(p21_g5)) : (-1048576)));
}
default:;
{
int l12 = 0;
if (((a ^ 17) & '\n')) goto l11;
for (; l12 < 3; l12++) {
if (a) continue;
++v1;
mix(&p21_sum, (need((p21_g0 != a)) % (("ab" "cd"[('0' & v1) & 3] & 7) + 1)));
l11:;
if ((v1 & p21_f0(a))) goto l13;
mix(&p21_sum, (+(enum p21_e1)((struct p21_s10){.m13 = to_int(p21_g4), .m17 = to_int(p21_g4), .m15 = "\"\101", .m16 = {.m8 = 1u,}, .m11[0][0] = {p21_p0[0], NULL}, .m12 = {1e3, -2.0},}.m11[0][3].m8)));
l13:;
}
}
struct p21_s10 v14 = {.m16.m9 = p21_f0, .m15 = {(unsigned)('\''), p21_K3}, .m17 = (enum p21_e1)(100l), .m12 = {tame(p21_g5)}};
} while (--l2 > 0);
}
}
return ((a >> (to_int(p21_g4) & 7)) != ((int[4]){6l, p21_g0})[1]);
}
void p21_f2(int a) {
if (p21_fuel-- <= 0) { return; }
if ((-(to_int(p21_g4) >> ((-5) & 7)))) { return; }
if ((p21_K3 == p21_f0(p21_g0))) goto l1;
if (p21_p0[0]) {
mix(&p21_sum, a);
struct p21_s10 v2 = {.m13 = (-a), .m11 = {{[3].m8 = ((-5) && a), [3].m9 = NULL, [0] = {1, .m9 = p21_f1, .m9 = &p21_f1},}}, .m16.m8 = (p21_p0[0] ?: to_int(p21_g4)), .m16.m9 = NULL, .m15 = "aa", .m17 = p21_K3};
}
l1:;
}
static void p21_show0(void) {
mix(&p21_sum, p21_g0);
mix_double(&p21_sum, p21_g4);
mix_double(&p21_sum, p21_g5);
mix(&p21_sum, p21_p0[0]);
}
void p21_run(void) {
p21_show();
p21_show0();
put("p21 start", p21_sum);
{
handler_t h;
p21_fuel = 150;
if (PUSH(&h) == 0) {
p21_f0(to_int(p21_g5));
POP();
} else {
mix(&p21_sum, h.value);
}
}
put("p21 p21_f0", p21_sum);
{
handler_t h;
p21_fuel = 150;
if (PUSH(&h) == 0) {
p21_f1(to_int(p21_g4));
POP();
} else {
mix(&p21_sum, h.value);
}
}
put("p21 p21_f1", p21_sum);
{
handler_t h;
p21_fuel = 150;
if (PUSH(&h) == 0) {
p21_f2(to_int(p21_g4));
POP();
} else {
mix(&p21_sum, h.value);
}
}
put("p21 p21_f2", p21_sum);
p21_show();
p21_show0();
put("p21 end", p21_sum);
}
int (*p21_table[4])(int) = {p21_f0, p21_f1, p21_f0, &p21_f0};
const long p21_g0 = 70000;
// second
static unsigned long p21_g1;
static const uint16_t p21_g2 = 7530;
static char p21_g3 = 97;
float p21_g5;
static const struct p21_flexible p21_fl = {.tail = {70}, .n = 1};
void p21_show(void) {
mix(&p21_sum, p21_g0);
mix(&p21_sum, p21_g1);
mix(&p21_sum, p21_g2);
mix(&p21_sum, p21_g3);
mix_double(&p21_sum, p21_g4);
mix_double(&p21_sum, p21_g5);
mix(&p21_sum, p21_fl.tail[0]);
mix(&p21_sum, p21_fl.n);
}
static unsigned long p21_g1 = 'x';
float p21_g5 = 1e3;
