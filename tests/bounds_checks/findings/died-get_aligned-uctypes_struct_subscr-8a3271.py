# kind: died
# place: get_aligned<uctypes_struct_subscr
# what: SIGABRT: AddressSanitizer: SEGV
v0=v1=v2=v3=v4=v5=v6=v7=None
try:
 v2=__import__('uctypes').struct(__import__('uctypes').addressof(bytearray(64)),((1<<29,1,2)));None.a=0
except(Exception,SystemExit,GeneratorExit)as e:print(0,type(e).__name__)
try:
 v1=v2[0]
except(Exception,SystemExit,GeneratorExit)as e:print(1,type(e).__name__)
