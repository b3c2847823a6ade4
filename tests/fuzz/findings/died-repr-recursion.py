# kind: died
# place: mp_obj_print_helper<list_print
# what: SIGSEGV: the C stack ran over where objects print one another
class A:
 def __repr__(s):return repr([s])
 def __eq__(s,o):return [s]==[o]
 def __hash__(s):return hash((s,))
for f in (lambda:repr(A()),lambda:A()==A(),lambda:hash(A()),lambda:{A():1}):
 try:print(f())
 except RuntimeError as e:print(type(e).__name__)
