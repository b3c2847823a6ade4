from collections import Counter, defaultdict, OrderedDict, ChainMap, UserDict, UserList, UserString, namedtuple

c = Counter("abracadabra")
print(sorted(c.items()), c.most_common(1), c['z'], c.total(), sorted(c.elements()))
c.subtract("aab"); print(sorted(c.items()))
print(sorted((c+Counter('abc')).items()), sorted((c-Counter('abc')).items()), sorted((c&Counter('abc')).items()), sorted((c|Counter('abc')).items()))
c += Counter('zz'); print(sorted(c.items())); c.update(a=3); c.update({'q': 2}); print(sorted(c.items()))
print(Counter('ab') == Counter('ba'), Counter(a=1) == {'a': 1}, Counter(a=1) <= Counter(a=2), Counter(), Counter('a'), +Counter(a=-1,b=1))
print(Counter(a=1).copy(), isinstance(c, dict), 'a' in c, len(Counter('abc')))
for k in Counter('a'): print(k)
d = defaultdict(list); d['a'].append(1); d['b']; print(sorted(d.items()), d.get('zz'), len(d), d == {'a':[1],'b':[]})
print(defaultdict(int, {'a': 1}), defaultdict(None))
d = defaultdict(lambda: defaultdict(int)); d[1][2] += 3; print(d[1][2], dict(d[1].items()))
try: defaultdict(None)[1]
except KeyError as e: print(type(e).__name__, e.args)
try: defaultdict(1)
except TypeError as e: print(e)
o = OrderedDict([('a', 1), ('b', 2), ('c', 3)]); o.move_to_end('a'); print(list(o.items())); o.move_to_end('c', last=False); print(list(o)); print(o.popitem(last=False), o.popitem(), list(o))
print(OrderedDict(a=1) == OrderedDict(a=1), OrderedDict([(1,2),(3,4)]) == OrderedDict([(3,4),(1,2)]), OrderedDict(a=1) == {'a': 1}, list(reversed(OrderedDict([(1,2),(3,4)]))))
m = ChainMap({'a': 1}, {'a': 2, 'b': 3}); print(m['a'], m['b'], len(m), sorted(m), m.get('z', 5), 'b' in m); m['b'] = 9; print(m.maps, m.new_child({'x': 1})['x'], m.parents['a']); print(sorted(m.items()), m)
class U(UserDict):
    def __setitem__(self, k, v): super().__setitem__(k.upper(), v)
u = U(a=1); u['b'] = 2; print(sorted(u.items()), u['A'], len(u), u.pop('A'), u, list(u.keys()), u == {'B': 2})
class L(UserList):
    def append(self, x): super().append(x * 2)
l = L([3, 1]); l.append(5); print(l, l[0], len(l), sorted(l), l + [1], l == [3, 1, 10], l[:1], 3 in l); l.sort(); print(l); l.extend([1]); l += [7]; print(l, l.index(3), l.count(1))
s = UserString("abc"); print(s, s.upper(), s + "d", s[0], len(s), s == "abc", type(s.upper()).__name__, s.find("c"), hash(s) == hash("abc"))
P = namedtuple("P", "x y", defaults=[5]); p = P(1); print(p, p.x, p.y, p._replace(x=3), sorted(p._asdict().items()), P._fields, P._make([1, 2]), P._field_defaults, p == (1, 5), P(y=1, x=2))
a, b = p; print(a, b, p[0], len(p), hash(p) == hash((1, 5)), isinstance(p, tuple), {p: 1}[(1, 5)])
try: P()
except TypeError as e: print("TypeError")
try: p.x = 3
except AttributeError as e: print("AttributeError")
try: namedtuple("A", "a a")
except ValueError as e: print(e)
try: namedtuple("A", "_a")
except ValueError as e: print(e)
print(namedtuple("A", "a a _b", rename=True)._fields)
try: p._replace(z=1)
except ValueError as e: print(e)
class Q(namedtuple("Q", ["a", "b"])):
    def s(self): return self.a + self.b
print(Q(1, 2).s(), Q(1, 2), sorted([Q(2, 1), Q(1, 2)]), max(Q(1,2), Q(3,0)))
