# kind: died
# place: template_iter_iternext<polymorph_it_iternext
# what: SIGABRT: objtemplate.c:262: member access within misaligned address 0x1000000000001 for type 'struct mp_obj_tuple_t', which requires 8 byte alignment
v5=None
v5=__template__(0,0,0,0)
for i in v5:None.append(i)
