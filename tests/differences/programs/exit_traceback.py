# Exceptions: The traceback that `__exit__` gets
# Interpreters pass None.
class Manager:
    def __enter__(self): return self
    def __exit__(self, kind, value, traceback):
        print(traceback is None)
        return True
with Manager():
    1 / 0
