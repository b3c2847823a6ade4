"""Recipes: statements with holes for hostile values, beside calls of what introspection finds.

A hole `{kind}` takes a value of that kind (hostile_values.py); `{v}` is a register. Recipes name
functions of upstream's modules. A build that lacks a module raises ImportError, which is harmless.
"""

from __future__ import annotations

import re

# Two spaces or a line end separate recipes.
_EXPRESSIONS = r"""
{any}+{any}  {seq}*{int}  {buf}*{int}  {str}*{int}  {num}**{small}  {num}//{num}  {num}%{num}
divmod({num},{num})  {num}<<{small}  {num}>>{int}  {int}&{int}  {any}=={any}  {any}<{any}
{any} in {any}  {any} is {any}  -{any}  ~{any}  not {any}  {seq}[{int}:{int}:{int}]
{buf}[{int}:{int}]  {str}[{int}:{int}:{int}]  {v}[{any}]  {v}[{int}:{int}]  {v}[{int}]
{str}%{any}  {str}%({any},{any})  '%s %r'%({any},{any})
('%%%s.%sf'%({small},{int}))%{num}  ('%%%sd'%({int},))%{int}
{str}.format({any},{any})  ('{{:%s.%s}}'%({small},{int})).format({any})
'{{:{{}}}}'.format({any},{int})
print({any},{any},file={io},sep={any},end={any})  print(*{any},file={io})
list({any})  dict({any})  sorted({any},key={fun},reverse={any})
max({any},key={fun},default={any})  sum({seq},{any})  type({str},({fun},{fun}),{seq})
type('C',({fun},),{{'__init__':{fun},'x':property({fun},{fun})}})({any})  super({fun},{any})
super({fun},{any}).__init__({any})  isinstance({any},({fun},{any}))  int({str},{int})
int.from_bytes({buf},{str})  int.from_bytes({any},'little',signed={any})
({int}).to_bytes({int},'big')  ({int}).to_bytes({int},'little',{any})
memoryview({buf})[{int}:{int}]  memoryview({v})  bytearray({any})  bytes({any},{any})
bytes({iter})  str({buf},'utf-8')  str({any},{any},{any})  {fun}({any},{any})
{fun}(*{any},**{any})  {v}({any})  {v}({any},x={any})  eval({src})  exec({src})
exec({src},{{}},{{}})  compile({src},{str},'exec')  compile({src},{str},'single')
exec(compile({src},'x','exec'))  compile('+'.join(['x']*{small}*40),'x','eval')
compile('['*{small}*20+']'*{small}*20,'x','eval')
compile('(lambda:'*{small}*4+'0'+')'*{small}*4,'x','eval')  getattr({any},{str})
setattr({any},{str},{any})  delattr({any},{str})  hash({any})  repr({any})  reversed({any})
next({any},{any})  iter({fun},{any})  zip({any},{any})  map({fun},{any},{any})
list(map({fun},{any}))  list(zip({any},{any}))  enumerate({any},{any})  range({int},{int},{int})
len(range({int},{int},{int}))  range({int},{int},{int})[{int}]  {int} in range({int},{int},{int})
slice({any},{any},{any}).indices({int})  pow({num},{num},{num})  round({num},{int})
{str}.join({any})  {str}.center({int})  {buf}.center({int})  {str}.split({any},{int})
{str}.replace({str},{str},{int})  {str}.find({str},{int},{int})  {buf}.find({buf},{int},{int})
{str}.encode({any},{any})  {buf}.decode({any},{any})  {seq}.index({any},{int},{int})
{seq}.pop({any})  {seq}.insert({int},{any})  {seq}.sort(key={fun})  {seq}.extend({any})
{seq}.update({any})  {seq}.setdefault({any},{any})  dict.fromkeys({any},{any})
list.append({any},{any})  str.format({any},{any})  {v}.__class__({any})  {v}.__class__.__bases__
str.split(sep={any})  {str}.split(sep={any},maxsplit={int})  str.encode({any},errors={any})
int.to_bytes(length={int})  bytes.decode(encoding={any})  bytes.hex({any},sep={any})
str.expandtabs(tabsize={int})  {buf}.expandtabs({int})  {buf}.ljust({int},{any})
{buf}.zfill({int})  {buf}.__delitem__({int})  {seq}.__delitem__({any})
__build_class__({fun},{any},x={any})  __build_class__(x={any})
_dot_match({any},{any},{small})  _dot_match({any},({small},{any},{small},{any}),{small})
{v}.__dict__  {v}.send({any})  {v}.throw({any})  {v}.throw({fun},{any},{any})  {v}.close()
{v}.pend_throw({any})  [x for x in {any} for y in {seq}]
(lambda a,b=1,*c,d,**e:a)({any},*{any},d=1,**{seq})  ({num}).__class__({str})
__import__({any},{any},{any},{any},{int})  __import__('io').BytesIO({any})
__import__('io').BytesIO({int})  __import__('io').StringIO({any})
__import__('io').BufferedWriter({any},{int})
__import__('io').BufferedWriter({io},{int}).write({any})
__import__('io').BufferedWriter({v},{int}).flush()  __import__('io').TextIOWrapper({any})
__import__('io').TextIOWrapper({io},{any}).read({any})  {io}.seek({int},{small})  {v}.seek({int})
{v}.write({any})  {v}.write({buf},{int},{int})  {v}.read({any})  {v}.readinto({buf},{int})
{v}.readline({any})  {v}.getvalue()  {v}.truncate({any})  __import__('json').loads({any})
__import__('json').load({io})  __import__('json').dumps({any})
__import__('json').dumps({any},separators={any})  __import__('json').dump({any},{any})
__import__('struct').calcsize({fmt})  __import__('struct').pack({fmt},{any},{any})
__import__('struct').unpack({fmt},{any})
__import__('struct').pack_into({fmt},{buf},{int},{any},{any})
__import__('struct').unpack_from({fmt},{buf},{int})  __import__('array').array({fmt},{any})
__import__('array').array('b',{iter})*{int}  __import__('uctypes').struct({addr},{field})
__import__('uctypes').struct({addr},{field},{small}).a
__import__('uctypes').struct({addr},{field}).a[{int}]
__import__('uctypes').sizeof({field},{small})  __import__('uctypes').sizeof({any})
__import__('uctypes').bytes_at({addr},{int})  __import__('uctypes').bytearray_at({addr},{int})
__import__('uctypes').addressof({any})
__import__('framebuf').FrameBuffer({buf},{xy},{xy},{small},{xy})
__import__('framebuf').FrameBuffer(bytearray(64),8,8,{small})
__import__('framebuf').FrameBuffer(bytearray(200),20,{small},{small},{xy})
{v}.fill_rect({xy},{xy},{xy},{xy},{int})  {v}.pixel({xy},{xy})  {v}.pixel({xy},{xy},{int})
{v}.hline({xy},{xy},{xy},{int})  {v}.vline({xy},{xy},{xy},{int})
{v}.rect({xy},{xy},{xy},{xy},{int},{any})  {v}.line({xy},{xy},{xy},{xy},{int})
{v}.ellipse({xy},{xy},{xy},{xy},{int},{any},{int})
{v}.poly({xy},{xy},__import__('array').array('h',[{xy},{xy},{xy},{xy}]),{int},{any})
{v}.poly({xy},{xy},{buf},{int},{any})  {v}.blit({any},{xy},{xy},{int},{any})
{v}.blit(({buf},{xy},{xy},{small},{xy}),{xy},{xy})  {v}.scroll({xy},{xy})
{v}.text({str},{xy},{xy},{int})  __import__('re').compile({re})
__import__('re').match({re},{any})  __import__('re').search({re},{any})
__import__('re').sub({re},{fun},{any},{int})  __import__('re').sub({re},{str},{str})
__import__('re').compile({re}).split({any},{int})
__import__('re').compile({re}).search({str}).group({any})
__import__('re').match({re},'aaaaabbbbbx').span({int})
__import__('deflate').DeflateIO({io},{small},{int})
__import__('deflate').DeflateIO({io},{small},{small}).read({any})
__import__('deflate').DeflateIO(__import__('io').BytesIO({buf}),{small}).read()
__import__('deflate').DeflateIO({io},{small},{small},{any}).write({any})
__import__('binascii').unhexlify({any})  __import__('binascii').hexlify({any},{any})
__import__('binascii').a2b_base64({any})  __import__('binascii').b2a_base64({any},newline={any})
__import__('binascii').crc32({any},{any})  __import__('hashlib').sha256({any})
__import__('hashlib').sha1({any}).digest()  __import__('hashlib').md5({any})
__import__('cryptolib').aes({buf},{small},{any})
__import__('cryptolib').aes(bytes(16),{small},bytes(16)).encrypt({buf},{any})
__import__('heapq').heappush({any},{any})  __import__('heapq').heapify({any})
__import__('heapq').heappop({any})  __import__('collections').deque({any},{any})
__import__('collections').deque({any})  __import__('collections').deque((),{small})
{v}.appendleft({any})  {v}.append({any})  {v}.extendleft({any})  {v}.rotate({int})
{v}.insert({int},{any})  {v}.index({any},{int},{int})  {v}.remove({any})
{v}*{int}  {v}+{v}
list.__dict__['append']({any},{any})  str.__dict__['join']({any},{any})
{fun}.__dict__  type('C',({fun},),{{'__call__':{fun}}})({any})({any})
type('C',(),{{'__call__':{fun},'__getattr__':{fun},'__hash__':{fun},'__len__':{fun}}})()({any})
type('C',(),{{'__getitem__':list.__dict__['pop'],'__iter__':{fun},'__eq__':{fun}}})()[{any}]
type('C',({fun},{fun}),{{}})({any})  super({fun},{any}).x  {v}.popleft()
__import__('collections').namedtuple({any},{any})
__import__('collections').namedtuple('N',{any})({any},a={any})
__import__('collections').OrderedDict({any})  __import__('marshal').loads({buf})
__import__('marshal').dumps({any})
__import__('marshal').loads(__import__('marshal').dumps((lambda:{small}).__code__))
__import__('select').poll().register({any},{int})
__import__('select').poll().ipoll({small},{any})  __import__('select').select({any},{any},{any},0)
__import__('_asyncio').TaskQueue({any})  __import__('_asyncio').TaskQueue().push({any},{any})
__import__('_asyncio').TaskQueue().remove({any})  __import__('_asyncio').Task({any},{any})
__import__('_asyncio').Task({any}).cancel()  __import__('asyncio').run({any})
__import__('vfs').VfsLfs2({obj})  __import__('vfs').VfsLfs2.mkfs({obj})
__import__('vfs').VfsLfs2({any},{int},{int},{int})  __import__('vfs').VfsFat({obj})
__import__('vfs').mount({any},{str})  __import__('vfs').umount({any})
__import__('os').mount({any},{str},readonly={any})  __import__('os').listdir({any})
__import__('os').stat({any})  open({any},{str})  __import__('btree').open({io})
__import__('btree').open({io},pagesize={int},cachesize={int})  __import__('time').localtime({num})
__import__('time').mktime({seq})
__import__('time').mktime(({int},{int},{int},{int},{int},{int},{int},{int}))
__import__('time').ticks_diff({int},{int})  __import__('random').getrandbits({int})
__import__('random').randrange({int},{int},{int})  __import__('random').choice({any})
__import__('random').uniform({num},{num})  __import__('math').ldexp({num},{int})
__import__('math').factorial({int})  __import__('math').isclose({num},{num},rel_tol={num})
__import__('micropython').const({any})  __import__('micropython').schedule({fun},{any})
__import__('micropython').ringio({any})  __import__('micropython').RingIO({any})
__import__('micropython').RingIO({int}).write({any})
__import__('micropython').heap_lock()or[{any}]  __import__('micropython').heap_unlock()
__import__('gc').collect()  __import__('gc').threshold({any})
__import__('sys').print_exception({any},{any})  __import__('sys').exit({any})
__import__('sys').settrace({any})  __import__('weakref').ref({any},{fun})
__import__('weakref').finalize({any},{fun},{any})  __import__('errno').errorcode
"""
_STATEMENTS = r"""
{v}[{int}]={any}
{v}[{any}]={any}
{v}[{int}:{int}]={any}
{v}[{int}:{int}:{int}]={any}
del {v}[{int}]
del {v}[{int}:{int}]
{v}+={any}
{v}*={int}
{v}-={any}
{v}|={any}
{v}**={small}
{v}<<={small}
{v}.x={any}
{v}.a={any}
{v}.a[{int}]={any}
{v}.__class__={any}
a,*b,c={any}
a,b={any}
for i in {any}:{v}.append(i)
for i in {seq}:{v}.pop()
for i in {v}:break
with {any} as {v}:pass
raise {any}
raise {fun}({any},{any}) from {any}
assert {any},{any}
b=bytearray(40);{v}=memoryview(b);b+=bytes(200);{v}[{int}]={small}
b=bytearray(40);m=memoryview(b);b[8:]=b'';{v}=bytes(m);m[30]=1;m[1:9]=m[20:28]
b=bytearray(8);m=memoryview(b);b.extend({v});{v}=m[{int}:{int}]
b=bytearray(99);i=iter(b);next(i);b[2:]=b'';{v}=list(i)
l=list(range(20));i=iter(l);next(i);l.clear();{v}=list(i)
l=list(range(9));l.sort(key=lambda x:l.clear() or l.extend([1]*30));{v}=l
l=[_O(7)]*9;{v}=l;l.sort()
d=dict.fromkeys(range(9));{v}=d;i=iter(d.items());d.clear();next(i)
d={{_O({small}):1 for i in range(5)}};{v}=d;d.pop({any})
s=set(range(9));i=iter(s);s.clear();{v}=list(i)
g=(g.send(None) for i in [1]);{v}=g;next(g)
f=__import__('io').BytesIO(b'abc');m=f.getvalue();f.seek({int});{v}=f;f.write({buf})
f=__import__('io').StringIO();f.seek({int});{v}=f;f.write({str})
f=__import__('io').BytesIO(bytearray(8));f.write(bytes(100));{v}=f.read({int})
q=__import__('collections').deque((),{small});{v}=q;q.extend({any});q[{int}]=1
{v}=__import__('framebuf').FrameBuffer(bytearray(999),{xy},{xy},{small});{v}.fill({int})
{v}=__import__('framebuf').FrameBuffer(bytearray(64),16,16,{small});{v}.scroll({xy},{xy})
r=__import__('micropython').RingIO({int});{v}=r;r.write({buf});r.read({int})
{v}=__import__('uctypes').struct(__import__('uctypes').addressof(bytearray(64)),{field});{v}.a={any}
class {v}({fun}):x={any}
d=__import__('marshal').dumps(_g.__code__);b=bytearray(d);b[{small}]={small};{v}=__import__('marshal').loads(b)
d=__import__('marshal').dumps(_g.__code__);b=bytearray(d);b[-{small}]={small};exec(__import__('marshal').loads(b))
print({any},file={v})
__import__('json').load({v})
{v}=__import__('deflate').DeflateIO({v},{small});{v}.read({any})
{v}=__import__('io').BufferedWriter({v},{small});{v}.write({buf});{v}.flush()
t=__import__('_asyncio').TaskQueue();{v}=t;t.push({v},{int});t.pop()
e=ValueError({any});e.args={any};{v}=repr(e);raise e
def {v}(a,b={any},*c,**d):return {v}(*c,**d)
def f():\n  try:yield {any}\n  finally:{v}.close()\n {v}=f();next({v});{v}.throw({any})
async def f():await {any}\n {v}=f();{v}.send({any})
"""

EXPRESSIONS = tuple(re.split(r"\n|  +", _EXPRESSIONS.strip()))
STATEMENTS = tuple(line.replace("\\n", "\n") for line in _STATEMENTS.strip().splitlines())
