# kind: died
# place: task_getiter_iternext<mp_getiter
# what: SIGABRT: AddressSanitizer: SEGV
v0=v1=v2=v3=v4=v5=v6=v7=None
def _sdict():
 d={}
 d[1]=d
 return d
class G(__import__('_asyncio').Task):
 def __init__(s,*a):s.x=a
v0=G(0,_sdict())
for i in v0:break
