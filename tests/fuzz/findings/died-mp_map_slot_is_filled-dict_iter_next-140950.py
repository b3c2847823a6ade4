# kind: died
# place: mp_map_slot_is_filled<dict_iter_next
# what: SIGABRT: AddressSanitizer: use-after-poison
try:import sys
except ImportError:pass
try:import gc
except ImportError:pass
try:import io
except ImportError:pass
try:import struct
except ImportError:pass
try:import array
except ImportError:pass
try:import collections
except ImportError:pass
try:import json
except ImportError:pass
try:import re
except ImportError:pass
try:import binascii
except ImportError:pass
try:import hashlib
except ImportError:pass
try:import deflate
except ImportError:pass
try:import random
except ImportError:pass
try:import marshal
except ImportError:pass
try:import uctypes
except ImportError:pass
try:import framebuf
except ImportError:pass
try:import select
except ImportError:pass
try:import weakref
except ImportError:pass
try:import heapq
except ImportError:pass
_n=_d=0
_weak=[]
_k=_x=_y=None
def _op():pass
def _gen(x):
 try:
  while 1:
   yield x
   x()
 finally:
  x()
def _do(f,s,a):
 global _n,_d
 _n+=1
 if _d>=6 or _n>300:return 0
 _d+=1
 try:return f(s,a)
 finally:_d-=1
v0=v1=v2=v3=v4=v5=v6=v7=None
def _m0__and__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 if _n%4==0:
   v1=None
   gc.collect()
   _x=[bytearray(48)for _ in range(9)]
 return s
def _m0__del__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 return C0()
def _m0__getitem__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 if _n%3==0:
   v5[15]=v1
 if _n%2==0:
   v1.throw(ValueError)
 try:
   del v1[7]
 except Exception:pass
 return 'x'
def _m0__iter__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 if _n%3==0:
   list(v1)
 try:
   t=dict(v1)
   v1.clear()
   v1.update(t)
 except Exception:pass
 v1[-4]=C1()
 return iter(v6)
def _m0__len__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 return 10
def _m0__lt__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 try:
   repr(v5)
 except Exception:pass
 print(v1,v1)
 return True
class C0(io.IOBase):
 def __and__(s,*a):return _do(_m0__and__,s,a)
 def __del__(s,*a):return _do(_m0__del__,s,a)
 def __getitem__(s,*a):return _do(_m0__getitem__,s,a)
 def __iter__(s,*a):return _do(_m0__iter__,s,a)
 def __len__(s,*a):return _do(_m0__len__,s,a)
 def __lt__(s,*a):return _do(_m0__lt__,s,a)
def _m1__call__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 if _n%5==0:
   v1.update({130+i:i for i in range(40)})
 v1.seek((_n-_n+((1<<63)//8)+-2))
 if _n%4==0:
   sorted(v1)
 return s
def _m1__eq__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 v1=v7
 if _n%3==0:
   _x=[bytearray(1)for _ in range(9)]
 _x=[bytearray(17)for _ in range(9)]
 return False
def _m1__float__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 return v1
def _m1__getitem__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 try:
   s.x=1
 except Exception:pass
 try:
   t=list(v1)
   v1.clear()
   for k in t:v7.add(k)
 except Exception:pass
 try:
   v4[:]=b''
 except Exception:pass
 return 1.5
def _m1__hash__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 _x=None
 gc.collect()
 v4.throw(ValueError)
 try:
   hash(v1)
 except Exception:pass
 return (_n-_n+((1<<63)//8)+2)
def _m1__index__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 try:
   s.x=C0()
 except Exception:pass
 return len(v1)
def _m1__lt__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 return b'ab'
def _m1__next__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 if _n%3==0:
   v1.remove(3)
 try:
   next(v1)
 except Exception:pass
 return 2
def _m1__repr__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 t=list(v2.items())
 v1.clear()
 for k,v in t:v1[k]=v,0
 return 'é'*2
def _m1__setattr__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 return 'x'
def _m1__setitem__(s,a):
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 if _n%4==0:
   del v1[4]
 if _n%5==0:
   repr(v7)
 return 7
class C1(tuple):
 def __call__(s,*a):return _do(_m1__call__,s,a)
 def __eq__(s,*a):return _do(_m1__eq__,s,a)
 def __float__(s,*a):return _do(_m1__float__,s,a)
 def __getitem__(s,*a):return _do(_m1__getitem__,s,a)
 def __hash__(s,*a):return _do(_m1__hash__,s,a)
 def __index__(s,*a):return _do(_m1__index__,s,a)
 def __lt__(s,*a):return _do(_m1__lt__,s,a)
 def __next__(s,*a):return _do(_m1__next__,s,a)
 def __repr__(s,*a):return _do(_m1__repr__,s,a)
 def __setattr__(s,*a):return _do(_m1__setattr__,s,a)
 def __setitem__(s,*a):return _do(_m1__setitem__,s,a)
v1=__import__('collections').OrderedDict([(1,2),(0,3)])
v6=enumerate(v1)
def _op():
 global v0,v1,v2,v3,v4,v5,v6,v7,_k,_x,_y
 v1.update(C0())
for _i in 0,1:
 try:_op()
 except Exception as e:print(type(e).__name__)
