class Manager:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        print("enter", self.name)
        return self

    def __exit__(self, kind, value, traceback):
        print("exit", self.name, kind is not None)
        return self.name == "outer"


with Manager("outer") as a, Manager("inner") as b:
    print(a.name, b.name)
    raise RuntimeError("in it")
for i in range(3):
    try:
        with Manager(i):
            if i == 1:
                continue
            print("body", i)
    finally:
        print("after", i)
