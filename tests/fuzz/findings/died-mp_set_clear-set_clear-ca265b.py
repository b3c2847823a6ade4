# kind: died
# place: mp_set_clear<set_clear
# what: SIGABRT: AddressSanitizer: global-buffer-overflow
v4=v7=None
class G(set):
 def __init__(s,*a):pass
v7=G
v4=v7.difference_update(None,None,0)
