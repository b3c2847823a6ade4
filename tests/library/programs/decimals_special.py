"""Special values, formats and neighbours of decimal numbers."""
import random as _r
from decimal import *
D=Decimal
rnd=_r.Random(9)
def show(*k):
    f=k[-1]
    try: print(*k[:-1], f())
    except Exception as e: print(*k[:-1], type(e).__name__)
vals=['0','-0','1','-1','1E-7','1E+5','123456.789','-0.001','1E+400','Infinity','-Infinity','NaN','-NaN','sNaN','NaN123','0E+5','0E-9','0.00','12E+1','123E+4','1.2E-8','-1.25E+11','9.999999999999999999999999999','1234567890123456789012345678901234','0E-7','0E+1','0E+2','0E+3','0E+4','7E-10','7E-11','7E-12']
for v in ['1E-999999','9E+999999','1E-1000026','9.999999999999999999999999999E+999999','1E-999998','1.000000000000000000000000000E-999998']:
    show('next',v,lambda:(D(v).next_plus(),D(v).next_minus()))
for v in vals:
    for n in ('to_eng_string','logb','next_plus','next_minus','normalize','adjusted','is_normal','is_subnormal','is_signed','is_qnan','__neg__','__abs__','__pos__','copy_abs','sqrt','to_integral_value','as_tuple','is_nan'):
        show(n,v,lambda:getattr(D(v),n)())
    show('repr',lambda:repr(D(v)))
    for w in vals[:16]:
        for n in ('next_toward','same_quantum','max','min','compare','copy_sign','scaleb') :
            if n=='scaleb': continue
            show(n,v,w,lambda:getattr(D(v),n)(D(w)))
for _ in range(150):
    a,b,c=rnd.choice(vals),rnd.choice(vals),rnd.choice(vals)
    if '999999' in a+b+c: continue
    show('fma',a,b,c,lambda:D(a).fma(D(b),D(c)))
for _ in range(300):
    s=''
    if rnd.random()<.3: s+=rnd.choice(['','*','x'])+rnd.choice('<>^=')
    s+=rnd.choice(['','','-','+',' '])
    s+=rnd.choice(['','','0'])
    s+=rnd.choice(['','5','12','20'])
    s+=rnd.choice(['','','',','])
    s+=rnd.choice(['','.0','.1','.3','.10'])
    s+=rnd.choice(['','e','E','f','F','g','G','%','n'])
    v=rnd.choice([v for v in vals if '9999' not in v])
    show('format',v,s,lambda:format(D(v),s))
