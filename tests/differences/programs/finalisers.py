# Library: The time at which objects are freed
# Objects are freed by a collection, not at their last reference.
class C:
    def __del__(self): print('freed')
c = C()
c = None
print('end')
