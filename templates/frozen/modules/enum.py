# An enumeration is an instance of EnumType, not a class: a class statement calls the type of its
# first base with the name, the bases and the body. Its members are instances of a class that
# EnumType makes below it.
import _protocols

_order = 0


class auto:
    def __init__(self, value=None):
        global _order
        _order += 1
        self._order = _order
        self.value = value


class member:
    def __init__(self, value):
        self.value = value


class nonmember(member):
    pass


def property(function):
    import builtins

    return builtins.property(function)


def unique(enumeration):
    aliases = [f"{name} -> {found.name}" for name, found in enumeration.__members__.items()
               if name != found.name]
    if aliases:
        raise ValueError(f"duplicate values found in {enumeration!r}: {', '.join(aliases)}")
    return enumeration


class _Member:
    def __new__(cls, value):
        # A class method of an enumeration has the class of the members as its `cls`.
        return cls._enum_(value)

    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"

    def __hash__(self):
        return hash(self._name_)

    def __eq__(self, other):
        return self is other

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @classmethod
    def _missing_(cls, value):
        return None

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return max(last_values) + 1 if last_values else start


def _int_member():
    def integer(value):
        return getattr(value, "_value_", value)

    # A C operator takes the native part of its left operand only.
    class _IntMember(int):
        __repr__ = _Member.__repr__

        def __str__(self):
            return str(self._value_)

        def __lt__(self, other):
            return self._value_ < integer(other)

        def __le__(self, other):
            return self._value_ <= integer(other)

        def __gt__(self, other):
            return self._value_ > integer(other)

        def __ge__(self, other):
            return self._value_ >= integer(other)

        def __eq__(self, other):
            return self._value_ == integer(other)

        def __ne__(self, other):
            return self._value_ != integer(other)

        def __hash__(self):
            return hash(self._value_)

        def __add__(self, other):
            return self._value_ + integer(other)

        def __sub__(self, other):
            return self._value_ - integer(other)

        def __rsub__(self, other):
            return other - self._value_

        def __mul__(self, other):
            return self._value_ * integer(other)

        def __floordiv__(self, other):
            return self._value_ // integer(other)

        def __rfloordiv__(self, other):
            return other // self._value_

        def __truediv__(self, other):
            return self._value_ / integer(other)

        def __mod__(self, other):
            return self._value_ % integer(other)

        def __rmod__(self, other):
            return other % self._value_

        def __pow__(self, other):
            return self._value_ ** integer(other)

        def __index__(self):
            return self._value_

        __int__ = __index__
        __radd__ = __add__
        __rmul__ = __mul__

    return _IntMember


def _str_member():
    class _StrMember(str):
        __repr__ = _Member.__repr__

        def __str__(self):
            return self._value_

        def __eq__(self, other):
            return self._value_ == getattr(other, "_value_", other)

        def __hash__(self):
            return hash(self._value_)

    return _StrMember


def _flag_member():
    class _FlagMember(_Member):
        def __repr__(self):
            name = self._name_ or "|".join([each._name_ for each in self]) or None
            if name is None:
                return f"<{type(self).__name__}: {self._value_}>"
            return f"<{type(self).__name__}.{name}: {self._value_}>"

        def __str__(self):
            name = self._name_ or "|".join([each._name_ for each in self])
            return f"{type(self).__name__}.{name}" if name else f"{type(self).__name__}({self._value_})"

        def __hash__(self):
            return hash(self._value_)

        def _of(self, value):
            return self._enum_(value)

        def __or__(self, other):
            return self._of(self._value_ | _value(other))

        def __and__(self, other):
            return self._of(self._value_ & _value(other))

        def __xor__(self, other):
            return self._of(self._value_ ^ _value(other))

        __ror__ = __or__
        __rand__ = __and__
        __rxor__ = __xor__

        def __invert__(self):
            return self._of(self._enum_._mask & ~self._value_)

        def __contains__(self, other):
            return other._value_ & self._value_ == other._value_

        def __bool__(self):
            return self._value_ != 0

        def __len__(self):
            return len(list(iter(self)))

        def __iter__(self):
            for each in self._enum_:
                if each._value_ & self._value_:
                    yield each

        @staticmethod
        def _generate_next_value_(name, start, count, last_values):
            value = 1
            while last_values and value <= max(last_values):
                value <<= 1
            return value

    return _FlagMember


def _value(other):
    return getattr(other, "_value_", other)


class EnumType:
    def __init__(self, name, bases, body, **kwargs):
        self.__name__ = self.__qualname__ = name
        self.__members__ = {}
        self._names = []
        self._values = []
        self._mask = 0
        self._flag = False
        classes = []
        for base in bases:
            if type(base) is EnumType:
                if base._names:
                    raise TypeError(f"<enum '{name}'> cannot extend {base!r}")
                self._flag = self._flag or base._flag
                base = base._member_class
            if base is int:
                base = _int_member()
                base.__str__ = _Member.__str__
            elif base is str:
                base = _str_member()
                base.__str__ = _Member.__str__
            if base is not object:
                classes.append(base)
        members = []
        rest = {}
        ignored = body.get("_ignore_", ())
        for key, value in body.items():
            plain = key[0] == "_" or isinstance(value, nonmember) or key in ignored
            if isinstance(value, member):
                value = value.value
            elif not plain:
                # Functions, properties and the like are attributes.
                plain = hasattr(type(value), "__get__") or type(value).__name__ in _DESCRIPTORS
            if plain:
                rest[key] = value
            else:
                members.append((key, value))
        cls = self._member_class = type(name, tuple(classes) or (object,), rest)
        cls._enum_ = self
        self._abc_test = lambda other, obj: issubclass(other, cls)
        members.sort(key=_auto_order) if members and all(
            [isinstance(value, auto) for _, value in members]) else None
        for key, value in members:
            self._add(key, value)

    def _add(self, name, value):
        cls = self._member_class
        if isinstance(value, auto):
            if value.value is None:
                value.value = cls._generate_next_value_(
                    name, 1, len(self._names), [found._value_ for found in self._values])
            value = value.value
        for found in self._values:
            if found._value_ == value:
                # An alias.
                self.__members__[name] = found
                setattr(self, name, found)
                setattr(cls, name, found)
                return
        made = self._make(name, value)
        self.__members__[name] = made
        setattr(self, name, made)
        setattr(cls, name, made)
        self._values.append(made)
        if self._flag:
            self._mask |= made._value_
            if not value or value & (value - 1):
                return
        self._names.append(name)

    def _make(self, name, value):
        cls = self._member_class
        args = value if isinstance(value, tuple) else (value,)
        if "__new__" in cls.__dict__:
            made = cls.__new__(cls, *args)
        else:
            made = object.__new__(cls)
            base = cls
            while isinstance(made, (int, str)):
                for each in base.__bases__:
                    if issubclass(each, (int, str)):
                        break
                if each is int or each is str:
                    super(base, made).__init__(value)
                    break
                base = each
        if not hasattr(made, "_value_"):
            made._value_ = value
        made._name_ = made.name = name
        made.value = made._value_
        if "__init__" in dir(cls) and not isinstance(made, (int, str)):
            init = getattr(made, "__init__")
            if type(init).__name__ == "bound_method" and _defines(cls, "__init__"):
                init(*args)
                made.value = made._value_
        return made

    def __call__(self, value, names=None, **kwargs):
        if not self.__members__ and names is not None:
            if isinstance(names, str):
                names = names.replace(",", " ").split()
            if isinstance(names, dict):
                names = list(names.items())
            new = EnumType(value, (self,), {})
            for i, name in enumerate(names):
                if isinstance(name, str):
                    new._add(name, auto() if self._flag or self._member_class is not None else i + 1)
                else:
                    new._add(name[0], name[1])
            return new
        if type(value) is self._member_class:
            return value
        for found in self._values:
            if found._value_ == value:
                return found
        if self._flag and isinstance(value, int):
            if value < 0:
                value &= self._mask
                return self(value)
            if not value & ~self._mask:
                made = self._make(None, value)
                self._values.append(made)
                return made
        found = self._member_class._missing_(value)
        if found is None:
            raise ValueError(f"{value!r} is not a valid {self.__qualname__}")
        return found

    def __getitem__(self, name):
        return self.__members__[name]

    def __iter__(self):
        for name in self._names:
            yield self.__members__[name]

    def __reversed__(self):
        return reversed([self.__members__[name] for name in self._names])

    def __len__(self):
        return len(self._names)

    def __bool__(self):
        return True

    def __contains__(self, value):
        if isinstance(value, self._member_class):
            return True
        return any([found._value_ == value for found in self._values])

    def __getattr__(self, name):
        if name[:2] == "__" or name == "_member_class":
            raise AttributeError(name)
        try:
            return getattr(self._member_class, name)
        except AttributeError:
            raise AttributeError(f"type object '{self.__name__}' has no attribute '{name}'")

    def __hash__(self):
        return id(self)

    def __repr__(self):
        kind = "flag" if self._flag else "enum"
        return f"<{kind} '{self.__name__}'>"


EnumMeta = EnumType
_DESCRIPTORS = ("function", "closure", "generator", "property", "staticmethod", "classmethod")


def _auto_order(item):
    return item[1]._order


def _defines(cls, name):
    # Whether a Python class other than object defines the name.
    if name in cls.__dict__:
        return True
    return any([hasattr(base, "__module__") and _defines(base, name) for base in cls.__bases__])


def _enumeration(name, classes, flag=False):
    made = EnumType(name, (), {})
    made._member_class = type(name, classes, {})
    cls = made._member_class
    made._abc_test = lambda other, obj: issubclass(other, cls)
    made._flag = flag
    return made


Enum = _enumeration("Enum", (_Member,))
_protocols.install()


def __getattr__(name):
    if name == "IntEnum":
        value = _enumeration(name, (_int_member(), Enum._member_class))
    elif name == "StrEnum":
        value = _enumeration(name, (_str_member(), Enum._member_class))
        value._member_class._generate_next_value_ = staticmethod(
            lambda name, start, count, last_values: name.lower())
    elif name == "Flag":
        value = _enumeration(name, (_flag_member(), Enum._member_class), True)
    elif name == "IntFlag":
        value = _enumeration(name, (_flag_member(), _int_member(), Enum._member_class), True)
        cls = value._member_class
        cls.__eq__ = lambda self, other: self._value_ == _value(other)
        cls.__str__ = lambda self: str(self._value_)
    elif name == "ReprEnum":
        value = Enum
    elif name == "__all__":
        return ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "auto", "unique", "member",
                "nonmember", "EnumType", "EnumMeta")
    else:
        raise AttributeError(f"module 'enum' has no attribute '{name}'")
    globals()[name] = value
    return value
