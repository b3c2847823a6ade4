# kind: died
# place: mp_obj_get_type<mp_load_method_maybe
# what: SIGABRT: obj.c:109: member access within misaligned address 0x7ff491b59741 for type 'const struct mp_obj_base_t', which requires 8 byte alignment
v0=v1=v3=None
class G(__import__('io').StringIO):
 def __init__(s,*a):pass
v3=G
v1=super(v3,v3)
v0=zip((),v1)
