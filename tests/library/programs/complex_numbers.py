def show(text):
    # Messages differ between releases of CPython.
    try:
        print(text, "->", repr(eval(text)))
    except Exception as error:
        print(text, "!!", type(error).__name__)


for text in """(1+2j)**(2-1j)
(1+2j)**2
2**(1+1j)
0j**0
0j**1
0j**-1
0j**(1j)
(1+2j)**-3
(1e200+0j)**2
complex('1+2j')
complex('1')
complex('j')
complex('-j')
complex(' 1e3-2.5j ')
complex('(1+2j)')
complex('1 + 2j')
complex('inf-nanj')
complex('infinityj')
complex('')
complex('1_0+2j')
complex('1+2J')
complex(1,2)
complex(real=1, imag=2)
complex(1j,2j)
complex('1',2)
complex(1,'2')
complex(-0.0,0)
complex(1,-0.0)
complex(0,float('nan'))
str(complex(1e16,2))
str(1e100j)
complex(float('inf'), float('-inf'))
format(1+2j,'.2f')
format(1+2j,'')
format(1+2j,'10.1f')
format(1+2j,'<20')
format(1+2j,'e')
format(1+2j,'g')
format(1+2j,'08')
format(1+2j,'=10')
format(1+2j,'%')
1j<2j
1j<1
1j//2
1j%2
divmod(1j,2)
abs(3+4j)
(1+2j).conjugate()
hash(1+0j)==hash(1)
(1+2j)==(1+2j)
1+0j==1
bool(0j)
-(1+2j)
+(1+2j)
(1+2j)/(3-4j)
(1+2j)/0
1/0j
(1+2j)*(3-4j)
1j*float('inf')
pow(1j,2)
(1+2j).real
(1+2j).imag
1j|1
(1+2j)+'a'""".splitlines():
    show(text)
values = [0j, 1j, -1 + 0j, 2 - 3j, 1e300 + 1j, 1e-300j, complex(-0.0, -0.0), complex("inf"), complex("nanj"), 0.1 + 0.2j]
for a in values:
    print(a, -a, abs(a), a.conjugate(), bool(a))
    for b in values:
        show(f"{a!r} / {b!r}".replace("inf", "1e400").replace("nan", "(1e400-1e400)"))
        print(a * b, a + b, a - b, a == b)
    for n in (0, 1, 2, 3, -1, -2, 7, 100, -100):
        show(f"{a!r} ** {n}".replace("inf", "1e400").replace("nan", "(1e400-1e400)"))
