class A:
    x = 1
    def __init__(self, v): self.v = v
    @property
    def p(self): return self.v
    @p.setter
    def p(self, v): self.v = v
    @staticmethod
    def s(): return A
    def __eq__(self, o): return self.v == o.v
    def __getattr__(self, n): return n
class B(A):
    def __init__(self): super().__init__(3)
b = B(); b.p = 4
print(b.p, b.q, b == A(4), [A, B])
