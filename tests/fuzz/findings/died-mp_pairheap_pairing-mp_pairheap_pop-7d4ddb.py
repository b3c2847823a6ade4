# kind: died
# place: mp_pairheap_pairing<mp_pairheap_pop
# what: SIGABRT: AddressSanitizer: SEGV
v4=None
t=__import__('_asyncio').TaskQueue();v4=t;t.push(b'',0);t.pop()
