# kind: died
# place: framebuf_poly<fun_builtin_var_call
# what: SIGSEGV: the nodes of a filled polygon took the C stack
import array,framebuf
f=framebuf.FrameBuffer(bytearray(64),16,16,3)
for n in (0,1,2,3,4000):
 try:f.poly(-5,1<<14,array.array('h',(i*7919%32768 for i in range(n))),1,True)
 except (MemoryError,ValueError) as e:print(type(e).__name__)
