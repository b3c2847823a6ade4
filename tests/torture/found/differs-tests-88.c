// differs: p88 p88_f2: C f35633825a416df3, C++ 7c8b5bda9c252bfe
// seed tests, program 88
// header
typedef int (*p88_call_t)(int);
enum p88_e1 { p88_K2 = 5, p88_K3 = 'c', p88_K4 = 21, p88_K5 = 5 };
enum p88_e6 { p88_K7 = 'c', p88_K8, p88_K9, p88_K10 };
typedef struct {
    signed char m11[1];
    int64_t m12;
    const char *m13;
} p88_t14;
typedef struct {
    size_t m15;
    long m16;
    const char *m17;
} p88_t18;
typedef struct {
    enum p88_e6 m19;
} p88_t20;
union p88_u21 {
    p88_t14 m22;
    p88_call_t m23;
    short m24;
};
extern unsigned long p88_sum;
extern int p88_fuel;
extern int (*p88_table[4])(int);
extern const enum p88_e6 p88_g1;
extern double p88_g4;
void p88_f2(int a);
void p88_show(void);
// first
static int p88_f0(int a);
static int p88_f1(int a);
static double p88_g2[5];
unsigned long p88_sum = 1;
int p88_fuel;
static int p88_f0(int a) {
if (p88_fuel-- <= 0) { return (2 * 16u); }
p88_t14 v1 = {.m13 = (const char *)"c", .m11 = {(int)sizeof((a != a))}, .m12 = to_int(p88_g2[2])};
p88_g2[4] = tame(p88_g4);
return ((to_int(p88_g4) | to_int(p88_g2[2])) % (((~to_int(p88_g2[0])) & 7) + 1));
}
static int p88_f1(int a) {
if (p88_fuel-- <= 0) { return (need(255u) * 1048576l); }
volatile double class = tame(tame(p88_g2[1]) + 0x1p-3);
{
handler_t l1;
int l12 = PUSH(&l1);
if (l12 == 0) {
if (13) goto l2;
p88_g4 = (double)(p88_f1((to_int(p88_g2[2]) / ((to_int(p88_g2[4]) & 7) + 1))));
p88_t20 v3 = {.m19 = to_int(p88_g2[4])};
if ((+p88_table[v3.m19 & 3]((13 ^ p88_g1)))) {
mix(&p88_sum, to_int(p88_g2[2] = tame(p88_g2[2])));
}
l2:;
POP();
}
else {
mix(&p88_sum, l1.value);
if ((to_int(p88_g4 = 1.5) && (2 > to_int(p88_g2[2])))) { return ((enum p88_e1)(65535) < (+3)); }
{
volatile int l5 = 0;
if (p88_f0(((unsigned char[4]){to_int(class)})[0])) goto l4;
for (; l5 < 3; l5++) {
int64_t v6[1] = {(to_int(p88_g2[1]) ? a : 14)};
p88_g2[1] = (double)(((unsigned long)to_int(class) << (65535 & 15)));
for (volatile int l7 = 0; l7 < 2; l7++) {
const unsigned long v8 = p88_f1(p88_f1((p88_g1 ? to_int(p88_g4) : a)));
const p88_t14 v9 = {{"\""}, (v6[0], to_int(p88_g4)), "x" "y"};
}
l4:;
if (65535) goto l10;
class = tame(tame(p88_g2[0]) - 1.5);
mix(&p88_sum, (to_int(tame(0.25f - 0.25f)) != '\''));
l10:;
if (((+a) ^ a)) {
static union p88_u21 v11;
}
}
}
}
}
union p88_u21 v13 = {.m23 = p88_f0};
mix_text(&p88_sum, (char[]){'a', (to_int(class) ?: to_int(p88_g2[3])), (to_int(p88_g4) + 255)}, 3);
class = tame(class);
return (((const long[]){100, to_int(p88_g2[0])})[1] | (a + to_int(class)));
}
static void p88_show0(void) {
mix(&p88_sum, p88_g1);
mix_double(&p88_sum, p88_g2[0]);
mix_double(&p88_sum, p88_g2[1]);
mix_double(&p88_sum, p88_g2[2]);
mix_double(&p88_sum, p88_g2[3]);
mix_double(&p88_sum, p88_g2[4]);
mix_double(&p88_sum, p88_g4);
}
void p88_run(void) {
p88_show();
p88_show0();
put("p88 start", p88_sum);
{
handler_t h;
p88_fuel = 150;
if (PUSH(&h) == 0) {
p88_f0(((5u ? p88_K3 : p88_g1) ? ((-17) / ((65535l & 7) + 1)) : (p88_g1 | to_int(p88_g2[2]))));
POP();
} else {
mix(&p88_sum, h.value);
}
}
put("p88 p88_f0", p88_sum);
{
handler_t h;
p88_fuel = 150;
if (PUSH(&h) == 0) {
p88_f1((p88_K4 ^ (p88_g1 == p88_g1)));
POP();
} else {
mix(&p88_sum, h.value);
}
}
put("p88 p88_f1", p88_sum);
{
handler_t h;
p88_fuel = 150;
if (PUSH(&h) == 0) {
p88_f2((enum p88_e6)(to_int(1e3)));
POP();
} else {
mix(&p88_sum, h.value);
}
}
put("p88 p88_f2", p88_sum);
p88_show();
p88_show0();
put("p88 end", p88_sum);
}
int (*p88_table[4])(int) = {&p88_f0, p88_f0, p88_f0, p88_f1};
static double p88_g2[5] = {[0] = 1e3};
// second
static long p88_f3(int a, ...);
static int p88_g0[1];
static const char *p88_g3 = (void *)"v";
double p88_g4;
void p88_f2(int a) {
if (p88_fuel-- <= 0) { return; }
p88_g4 = tame(tame(1e3 + 1e3) + 0x1p-3);
{
volatile int l1 = 2;
switch (a & 3) {
case 0: do {
{
volatile int l2 = 2;
switch ((!(short)(to_int(p88_g4))) & 3) {
case 0: do {
{
handler_t l3;
switch (PUSH(&l3)) {
case 0: {
const double v4 = (double)(("ab" "cd"[a & 3] / (((short)(p88_g0[0]) & 7) + 1)));
mix(&p88_sum, a);
POP();
}
break;
case 3: mix(&p88_sum, l3.value);
break;
default: {
mix(&p88_sum, l3.value);
mix(&p88_sum, (&(p88_t14){.m11 = "\x41", .m12 = to_int(p88_g4), .m13 = "x" "y",})->m11[0]);
p88_t14 v5 = {{p88_g3[0]}, (a < p88_g3[0]), "x" "y"};
}
}
}
if (to_int(p88_g4)) {
mix(&p88_sum, (to_int(0.25f) >> ("ab" "cd"[p88_f3(2, (char)(65535u), (_Bool)(a), 0x1p-3, "") & 3] & 7)));
mix_double(&p88_sum, tame(p88_g4));
}
{
volatile int l6 = 2;
while (l6-- > 0 && p88_f3(0, 1.5, "end")) {
const enum p88_e6 v7 = p88_K7;
p88_g4 = tame(-2.0 * 1.5);
volatile long long v8 = ((const long[]){v7})[0];
}
}
case 1:;
if (p88_g0[0]) {
volatile _Bool v9 = (&p88_g1 != NULL);
p88_g4 = tame(p88_g4);
}
{
volatile int l10 = 2;
switch (((to_int(p88_g4) ? p88_g0[0] : 12l) ^ 11u) & 3) {
case 0: do {
p88_g0[0] ^= (a ? (uint64_t)(p88_g3[0]) : 3l);
volatile unsigned char v11 = p88_K2;
case 1:;
struct l13 { int explicit; short b; } v12 = {.b = 255u, .explicit = (a && p88_g3[0])};
volatile double v14 = tame(p88_g4);
default:;
p88_g4 = tame(tame(tame(1.5 - tame(p88_g4)) + tame(p88_g4)) - tame(p88_g4));
} while (--l10 > 0);
}
}
default:;
mix(&p88_sum, 17l);
if ((p88_g0[0] = ('0' != p88_g0[0]))) {
unsigned char v15[3 + !a];
v15[0] = p88_g0[0];
v15[1] = p88_g1;
p88_t18 v16[1] = {[0] = {((unsigned long)2147483647 << (a & 15)), ('a', 13u), "text"}};
p88_g4 = tame((double)((3l == a)) - 1.5);
}
volatile long v17 = p88_g3[0];
} while (--l2 > 0);
}
}
case 1:;
{
handler_t l18;
int l24 = PUSH(&l18);
if (l24 == 0) {
{
const unsigned char v19[1] = {[0] = to_int(p88_g4)};
mix(&p88_sum, a);
}
POP();
}
else {
mix(&p88_sum, l18.value);
p88_g0[0]--;
if (({ int b1013 = (p88_g0[0] % ((p88_g3[0] & 7) + 1)); b1013 + ((const long[4]){1l, a})[1]; })) goto l20;
static enum p88_e6 v21 = p88_K8;
mix(&p88_sum, (((long)(0) == ((const long[]){(-2), (-6)})[0]) >= 65535));
volatile int v22 = a, v23 = (a >= a);
l20:;
}
}
default:;
p88_g0[0] = ({ long b1095 = '\n'; b1095 + (long)(a); });
++p88_g0[0];
for (volatile int l25 = 0; l25 < 1; l25++) {
p88_g4 = tame(p88_g4);
{
handler_t l26;
if (PUSH(&l26)) {
mix(&p88_sum, l26.value);
mix(&p88_sum, (p88_g0[0] = ((p88_g0[0] != 18u) ? p88_g0[0] : (long)(to_int(p88_g4)))));
}
else {
const p88_t18 v27 = {.m17 = "x" "y"};
unsigned char v28[3 + !a];
v28[0] = (int)sizeof((a && v27.m17[0]));
v28[1] = (v27.m17[0] | p88_g0[0]);
p88_t18 delete = {(unsigned)(to_int(p88_g4))};
POP();
}
}
{
volatile int l30 = 0;
if (((2147483647 % ((p88_g1 & 7) + 1)), a)) goto l29;
for (; l30 < 3; l30++) {
p88_g0[0] += ((p88_g1 >= a) % ((a & 7) + 1));
mix(&p88_sum, ((((int[]){p88_K10})[0] ? (a ^ to_int(p88_g4)) : p88_g3[0]) - ((&p88_g1 != NULL) ^ p88_g1)));
volatile unsigned v31 = p88_g3[0];
l29:;
mix(&p88_sum, (((2147483647 > 2147483647) + (to_int(p88_g4) & 'a')) ? (&p88_g3 != 0) : (p88_K10 != (!to_int(p88_g4)))));
p88_g0[0] = p88_g0[0];
}
}
}
} while (--l1 > 0);
}
}
p88_f2(a);
}
static long p88_f3(int a, ...) {
if (p88_fuel-- <= 0) { return 18; }
va_list list;
va_start(list, a);
for (int i_ = 0; i_ < a; i_++) { int n_ = va_arg(list, int); mix(&p88_sum, n_); }
mix_double(&p88_sum, va_arg(list, double));
mix_text(&p88_sum, va_arg(list, const char *), 4);
va_end(list);
if ((p88_f3(0, 0x1p-3, "end") || (-8))) { return (({ int b1351 = a; b1351 + a; }) ? (+to_int(p88_g4)) : p88_f3(3, (short)(a), (char)(2147483647u), (int)('a'), 0x1p-3, "end")); }
p88_f3(0, tame(p88_g4), "");
mix(&p88_sum, (18l, '\''));
if ("ab" "cd"[13l & 3]) {
mix_double(&p88_sum, tame((double)('0') + tame(p88_g4)));
if ((p88_g0[0], (p88_g3[0] - a))) goto l1;
p88_t14 v2 = {{(19 ? '\'' : '0')}, ((short[4]){p88_g0[0], p88_g0[0]})[1], "\xff"};
mix(&p88_sum, 8);
static const p88_t18 v3 = {567, 58951, "x" "y"};
l1:;
}
else {
{
int l5 = 0;
if (need(p88_f3(3, (short)(p88_K8), (short)(a), (char)('0'), 0x1p-3, ""))) goto l4;
for (; l5 < 3; l5++) {
p88_t18 v6 = {.m17 = (const char *)"c", .m15 = ((short[4]){65535, 12, p88_g1})[2], .m16 = 14};
l4:;
{
int l8 = 0;
l7:;
signed char v9 = to_int(p88_g4);
p88_g4 = 0x1p-3;
long v10 = p88_g0[0];
if (++l8 < 3) goto l7;
}
{
int l11 = 3;
do {
unsigned v12 = ((-0) | ((p88_g0[0] / ((17 & 7) + 1)) * (p88_g1 * p88_g0[0])));
} while (l11-- > 0);
}
}
}
mix(&p88_sum, p88_f3(1, (short)((to_int(0x1p-3) % ((('0' - to_int(p88_g4)) & 7) + 1))), (double)((-255)), ""));
if ((&p88_g4 != 0)) {
p88_g0[0] *= ((p88_g1 - 9) ? (!5u) : (&p88_g0 != 0));
long v13[(a & 3) + 2];
v13[0] = p88_g3[0];
v13[1] = (2 ? '\n' : a);
}
else {
{
int l15 = 0;
l14:;
long v16 = p88_g1;
if (++l15 < 3) goto l14;
}
}
}
p88_g0[0] += (!(65535 - a));
return (&p88_g3 != NULL);
}
void p88_show(void) {
mix(&p88_sum, p88_g0[0]);
mix(&p88_sum, p88_g1);
mix_text(&p88_sum, p88_g3, 8);
mix_double(&p88_sum, p88_g4);
}
const enum p88_e6 p88_g1 = p88_K8;
double p88_g4 = 0x1p-3;
