try:
    try: 1 / 0
    except ZeroDivisionError as e: raise ValueError from e
    finally: print('f')
except (ValueError, TypeError): print('v')
else: print('n')
class C:
    def __enter__(self): return self
    def __exit__(self, *a): return True
with C() as c, C(): raise KeyError(c)
for i in range(3):
    try: continue
    finally: break
