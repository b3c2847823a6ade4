# kind: died
# place: micropython.RingIO
# what: SIGFPE
v3=v6=v7=None
v6=(__import__('array').array('d',[1.5,2]))
v7=(memoryview(bytearray()))[0:0]
v3=__import__('micropython').RingIO(v7).write(v6)
