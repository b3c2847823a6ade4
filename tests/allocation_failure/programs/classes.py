class Base:
    made = 0

    def __init__(self, value):
        self.value = value
        Base.made += 1

    def __eq__(self, other):
        return self.value == other.value

    def __lt__(self, other):
        return self.value < other.value

    def __hash__(self):
        return hash(self.value)

    def __repr__(self):
        return "<%s %r>" % (type(self).__name__, self.value)


class Derived(Base):
    def __getattr__(self, name):
        return name.upper()

    @property
    def twice(self):
        return Derived(self.value * 2)


things = [Derived(i % 5) for i in range(8)] + [Base(3)]
print(sorted(things), len(set(things)), things[3].twice.other, Base.made)
