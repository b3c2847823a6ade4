# An enumeration is an instance of EnumType, not a class: a class statement calls the type of its
# first base with the name, the bases and the body. Its members are instances of a class that
# EnumType makes below it.
import _protocols

class auto:
    # The body of a class is executed before a value is known, so operators of `auto` are too.
    def __init__(self, value=None):
        self.value = value

    def _resolve(self, make):
        if self.value is None:
            self.value = make()
        return self.value

    def __or__(self, other):
        return _Later(self, other, lambda a, b: a | b)

    def __and__(self, other):
        return _Later(self, other, lambda a, b: a & b)

    def __xor__(self, other):
        return _Later(self, other, lambda a, b: a ^ b)

    def __invert__(self):
        return _Later(self, 0, lambda a, b: ~a)

    __ror__ = __or__
    __rand__ = __and__
    __rxor__ = __xor__


class _Later(auto):
    def __init__(self, left, right, operation):
        self.parts = left, right, operation

    def _resolve(self, make):
        left, right, operation = self.parts
        return operation(_resolve(left, make), _resolve(right, make))


def _resolve(value, make):
    if isinstance(value, auto):
        return value._resolve(make)
    if type(value) is tuple and any([isinstance(each, auto) for each in value]):
        return tuple([_resolve(each, make) for each in value])
    return value


class member:
    def __init__(self, value):
        self.value = value


class nonmember(member):
    pass


def property(function):
    import builtins

    return builtins.property(function)


def unique(enumeration, what="duplicate values found"):
    aliases = [f"{name} -> {found.name}" for name, found in enumeration.__members__.items()
               if name != found.name]
    if aliases:
        raise ValueError(f"{what} in {enumeration!r}: {', '.join(aliases)}")
    return enumeration


def show_flag_values(value):
    return [1 << i for i in range(value.bit_length()) if value >> i & 1]


def _verify():
    def aliases(enumeration):
        unique(enumeration, "aliases found")

    def continuous(enumeration):
        values = [each._value_ for each in enumeration]
        if len(values) < 2:
            return
        low = min(values)
        high = max(values)
        if enumeration._flag:
            wanted = [1 << i for i in range(low.bit_length(), high.bit_length() - 1)]
        else:
            wanted = range(low + 1, high)
        missing = [str(value) for value in wanted if value not in values]
        if missing:
            kind = "flag" if enumeration._flag else "enum"
            raise ValueError(
                f"invalid {kind} {enumeration.__name__!r}: missing values {', '.join(missing)}"[:256])

    def named(enumeration):
        names = []
        missing = 0
        for name, each in enumeration.__members__.items():
            unnamed = each._value_ & ~enumeration._single
            if name not in enumeration._names and unnamed:
                names.append(name)
                missing |= unnamed
        if names:
            text = f"alias {names[0]} is missing"
            if len(names) > 1:
                text = f"aliases {', '.join(names[:-1])} and {names[-1]} are missing"
            text += " combined values of" if missing & (missing - 1) else " value"
            raise ValueError(f"invalid Flag {enumeration.__name__!r}: {text} 0x{missing:x} "
                             "[use enum.show_flag_values(value) for details]")

    class verify:
        def __init__(self, *checks):
            self.checks = checks

        def __call__(self, enumeration):
            for check in self.checks:
                if check.name == "NAMED_FLAGS":
                    if enumeration._flag:
                        named(enumeration)
                elif check.name == "CONTINUOUS":
                    continuous(enumeration)
                else:
                    aliases(enumeration)
            return enumeration

    return verify


def _globals():
    def global_enum_repr(self):
        return f"{type(self).__module__.split('.')[-1]}.{self._name_}"

    def global_flag_repr(self):
        module = type(self).__module__.split(".")[-1]
        if self._name_ is None:
            return f"{module}.{type(self).__name__}({self._value_})"
        if "|" not in self._name_:
            return f"{module}.{self._name_}"
        names = [f"{module}.{name}" if not name[0].isdigit() else name
                 for name in self._name_.split("|")]
        return "|".join(names)

    def global_str(self):
        return f"{type(self).__name__}({self._value_!r})" if self._name_ is None else self._name_

    def global_enum(cls, update_str=False):
        import sys

        made = cls._member_class
        made.__repr__ = global_flag_repr if cls._flag else global_enum_repr
        if update_str or cls._data is None:
            made.__str__ = global_str
        module = cls.__module__
        module = __import__(module) if module == "__main__" else sys.modules[module]
        for name, each in cls.__members__.items():
            setattr(module, name, each)
        return cls

    return {"global_enum": global_enum, "global_enum_repr": global_enum_repr,
            "global_flag_repr": global_flag_repr, "global_str": global_str}


class _Member:
    def __new__(cls, value):
        # A class method of an enumeration has the class of the members as its `cls`.
        return cls._enum_(value)

    def __repr__(self):
        return f"<{type(self).__name__}.{self._name_}: {self._value_!r}>"

    def __str__(self):
        return f"{type(self).__name__}.{self._name_}"

    def __format__(self, spec):
        return format(str(self), spec)

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

    @classmethod
    def __class_getitem__(cls, name):
        return cls._enum_[name]

    @staticmethod
    def _generate_next_value_(name, start, count, last_values):
        return max(last_values) + 1 if last_values else start


def _value(other):
    return getattr(other, "_value_", other)


def _number_member(base):
    # A C operator takes the native part of its left operand only.
    class _NumberMember(base):
        __repr__ = _Member.__repr__

        def __str__(self):
            return str(self._value_)

        def __format__(self, spec):
            return format(self._value_, spec)

        def __lt__(self, other):
            return self._value_ < _value(other)

        def __le__(self, other):
            return self._value_ <= _value(other)

        def __gt__(self, other):
            return self._value_ > _value(other)

        def __ge__(self, other):
            return self._value_ >= _value(other)

        def __eq__(self, other):
            return self._value_ == _value(other)

        def __ne__(self, other):
            return self._value_ != _value(other)

        def __hash__(self):
            return hash(self._value_)

        def __neg__(self):
            return -self._value_

        def __abs__(self):
            return abs(self._value_)

        def __bool__(self):
            return bool(self._value_)

        def __int__(self):
            return int(self._value_)

        def __float__(self):
            return float(self._value_)

    cls = _NumberMember
    operations = {
        "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": lambda a, b: a * b,
        "truediv": lambda a, b: a / b, "floordiv": lambda a, b: a // b, "mod": lambda a, b: a % b,
        "divmod": divmod, "pow": lambda a, b: a ** b,
    }
    if base is int:
        operations.update({
            "and": lambda a, b: a & b, "or": lambda a, b: a | b, "xor": lambda a, b: a ^ b,
            "lshift": lambda a, b: a << b, "rshift": lambda a, b: a >> b,
        })
        cls.__index__ = cls.__int__
        cls.__invert__ = lambda self: ~self._value_
    for name, operation in operations.items():
        _set_operator(cls, name, operation)
    return cls


def _set_operator(cls, name, operation):
    setattr(cls, f"__{name}__", lambda self, other: operation(self._value_, _value(other)))
    setattr(cls, f"__r{name}__", lambda self, other: operation(_value(other), self._value_))


def _data_member(base):
    # The members of an enumeration with a built-in type among its bases are instances of the type.
    if base is int or base is float:
        return _number_member(base)

    class _DataMember(base):
        __repr__ = _Member.__repr__

        def __str__(self):
            return str(self._value_)

        def __format__(self, spec):
            return format(self._value_, spec)

        def __eq__(self, other):
            return self._value_ == _value(other)

        def __ne__(self, other):
            return self._value_ != _value(other)

        def __lt__(self, other):
            return self._value_ < _value(other)

        def __le__(self, other):
            return self._value_ <= _value(other)

        def __gt__(self, other):
            return self._value_ > _value(other)

        def __ge__(self, other):
            return self._value_ >= _value(other)

        def __hash__(self):
            return hash(self._value_)

        def __add__(self, other):
            return self._value_ + _value(other)

    return _DataMember


def _flag_name(enumeration, value):
    members = [each for each in enumeration if each._value_ & value]
    if value & ~enumeration._single:
        for each in enumeration.__members__.values():
            if each._value_ and each not in members and each._value_ & value == each._value_:
                members.append(each)
    rest = value
    for each in members:
        rest &= ~each._value_
    names = [each._name_ for each in members]
    if names and rest:
        if enumeration._limit == "strict":
            raise ValueError(f"{enumeration!r}: no members with value {rest!r}")
        names.append(str(rest))
    return "|".join(names) or None


def _flag_member():
    class _FlagMember(_Member):
        def __repr__(self):
            if self._name_ is None:
                return f"<{type(self).__name__}: {self._value_}>"
            return f"<{type(self).__name__}.{self._name_}: {self._value_}>"

        def __str__(self):
            if self._name_ is None:
                return f"{type(self).__name__}({self._value_})"
            return f"{type(self).__name__}.{self._name_}"

        def __hash__(self):
            return hash(self._name_)

        def _other(self, other):
            # The bits of an operand, or None for an operand of another type.
            if type(other) is type(self):
                return other._value_
            return other if isinstance(other, int) and isinstance(self, int) else None

        def __or__(self, other):
            bits = self._other(other)
            return NotImplemented if bits is None else self._enum_(self._value_ | bits)

        def __and__(self, other):
            bits = self._other(other)
            return NotImplemented if bits is None else self._enum_(self._value_ & bits)

        def __xor__(self, other):
            bits = self._other(other)
            return NotImplemented if bits is None else self._enum_(self._value_ ^ bits)

        __ror__ = __or__
        __rand__ = __and__
        __rxor__ = __xor__

        def __invert__(self):
            if self._enum_._limit in ("eject", "keep"):
                return self._enum_(~self._value_)
            return self._enum_(self._enum_._single & ~self._value_)

        def __contains__(self, other):
            if type(other) is not type(self):
                raise TypeError(
                    f"unsupported operand type(s) for 'in': {type(other).__name__!r} and "
                    f"{type(self).__name__!r}")
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
            if not last_values:
                return start
            return 1 << max(last_values).bit_length()

    return _FlagMember


_DATA = (int, str, float, bytes, tuple)


class EnumType:
    def __init__(self, name, bases, body, boundary=None, **kwargs):
        self.__members__ = {}
        self.__name__ = self.__qualname__ = name
        self.__module__ = body.get("__module__", "__main__")
        self.__doc__ = body.get("__doc__")
        self._data = None
        self._strict_text = False
        self._names = []
        self._values = []
        self._mask = 0
        self._single = 0
        self._flag = False
        self._limit = "strict"
        classes = []
        for base in bases:
            if type(base) is EnumType:
                if base._names:
                    raise TypeError(f"<enum '{name}'> cannot extend {base!r}")
                self._flag = self._flag or base._flag
                if base._flag:
                    self._limit = base._limit
                self._data = self._data or base._data
                self._strict_text = self._strict_text or base._strict_text
                base = base._member_class
            elif base in _DATA:
                self._data = base
                base = _data_member(base)
                base.__str__ = _Member.__str__
                base.__format__ = _Member.__format__
            elif self._data is None:
                for each in _DATA:
                    if issubclass(base, each):
                        self._data = each
            if base is not object:
                classes.append(base)
        if boundary is not None:
            self._limit = getattr(boundary, "_value_", boundary)
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
        for key, value in members:
            self._add(key, value)

    def _add(self, name, value, start=1):
        cls = self._member_class
        value = _resolve(value, lambda: cls._generate_next_value_(
            name, start, len(self._names), [found._value_ for found in self._values]))
        made = self._make(name, value)
        for found in self._values:
            if found._value_ == made._value_:
                made = found  # an alias
                break
        self.__members__[name] = made
        object.__setattr__(self, name, made)
        setattr(cls, name, made)
        if made._name_ != name:
            return
        self._values.append(made)
        if self._flag:
            self._mask |= made._value_
            value = made._value_
            if not value or value & (value - 1):
                return
            self._single |= value
        self._names.append(name)

    def _make(self, name, value):
        cls = self._member_class
        data = self._data
        args = value if isinstance(value, tuple) and data is not tuple else (value,)
        if _defines(cls, "__new__", _Member):
            made = cls.__new__(cls, *args)
        else:
            made = object.__new__(cls)
            if data is not None:
                if self._strict_text and not isinstance(args[0], str):
                    raise TypeError(f"{args[0]!r} is not a string")
                value = data(*args)
                for base in cls.__mro__:
                    if data in base.__bases__:
                        super(base, made).__init__(value)
                        break
        if not hasattr(made, "_value_"):
            made._value_ = value
        made._name_ = made.name = name
        made.value = made._value_
        if _defines(cls, "__init__", _Member):
            cls.__init__(made, *args)
            made.value = made._value_
        return made

    def __call__(self, value, names=None, *more, module=None, qualname=None, type=None, start=1,
                 boundary=None):
        if names is not None and not self.__members__:
            if isinstance(names, str):
                names = names.replace(",", " ").split()
            if isinstance(names, dict):
                names = list(names.items())
            new = EnumType(value, (self,) if type is None else (type, self), {}, boundary)
            for name in names:
                if isinstance(name, str):
                    new._add(name, auto(), start)
                else:
                    new._add(name[0], name[1])
            return new
        if names is not None:
            value = (value, names) + more
        cls = self._member_class
        if isinstance(value, cls):
            return value
        for found in self._values:
            if found._value_ == value:
                return found
        if self._flag and isinstance(value, int):
            return self._combination(value)
        found = cls._missing_(value)
        if found is None:
            raise ValueError(f"{value!r} is not a valid {self.__qualname__}")
        if not isinstance(found, cls):
            raise TypeError(f"error in {self.__name__}._missing_: returned {found!r} instead of "
                            "None or a valid member")
        return found

    def _combination(self, value):
        mask = self._mask
        boundary = self._limit
        every = (1 << mask.bit_length()) - 1
        if not ~every <= value <= every or value & (every ^ mask):
            if boundary == "strict":
                bits = max(value.bit_length(), mask.bit_length())
                shown = value if value >= 0 else value + (1 << bits)
                raise ValueError(
                    f"{self!r} invalid value {value!r}\n    given {'0b0' if value >= 0 else '0b1'} "
                    f"{shown:0{bits}b}\n  allowed 0b0 {mask:0{bits}b}")
            if boundary == "conform":
                value &= mask
            elif boundary == "eject":
                return value
            elif value < 0:
                value += max(every + 1, 1 << value.bit_length())
        if value < 0:
            value = value + every + 1 if boundary in ("eject", "keep") else value & mask
        for found in self._values:
            if found._value_ == value:
                return found
        if value & ~mask and boundary != "keep":
            raise ValueError(
                f"{self.__name__}({value!r}) -->  unknown values {value & ~mask!r} [{bin(value & ~mask)}]")
        made = self._make(_flag_name(self, value), value)
        self._values.append(made)
        return made

    def __setattr__(self, name, value):
        if name in self.__dict__.get("__members__", ()):
            raise AttributeError(f"cannot reassign member {name!r}")
        object.__setattr__(self, name, value)

    def __delattr__(self, name):
        if name in self.__members__:
            raise AttributeError(f"{self.__name__!r} cannot delete member {name!r}.")
        object.__delattr__(self, name)

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
        if name == "_boundary_":
            return globals()[self._limit.upper()] if self._flag else None
        if name in ("_flag_mask_", "_singles_mask_", "_all_bits_") and self._flag:
            return (self._mask if name == "_flag_mask_" else self._single if name == "_singles_mask_"
                    else (1 << self._mask.bit_length()) - 1)
        if name in ("_member_map_", "_member_names_", "_value2member_map_"):
            if name == "_member_names_":
                return list(self._names)
            if name == "_member_map_":
                return self.__members__
            return {found._value_: found for found in self._values}
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


def _defines(cls, name, stop):
    # Whether a class before `stop` in the method resolution order defines the name.
    for base in cls.__mro__:
        if base is stop or base in _DATA or base is object:
            continue
        if name in base.__dict__:
            return True
    return False


def _enumeration(name, classes, data=None, flag=False, limit="strict"):
    made = EnumType(name, (), {})
    made._member_class = type(name, classes, {})
    cls = made._member_class
    made._abc_test = lambda other, obj: issubclass(other, cls)
    made._data = data
    made._flag = flag
    made._limit = limit
    return made


Enum = _enumeration("Enum", (_Member,))
_protocols.install()


def __getattr__(name):
    member_class = Enum._member_class
    if name == "IntEnum":
        value = _enumeration(name, (_data_member(int), member_class), int)
    elif name == "StrEnum":
        value = _enumeration(name, (_data_member(str), member_class), str)
        value._strict_text = True
        value._member_class._generate_next_value_ = staticmethod(
            lambda name, start, count, last_values: name.lower())
    elif name == "Flag":
        value = _enumeration(name, (_flag_member(), member_class), None, True)
    elif name == "IntFlag":
        value = _enumeration(name, (_flag_member(), _data_member(int), member_class), int, True, "keep")
        cls = value._member_class
        cls.__eq__ = lambda self, other: self._value_ == _value(other)
        cls.__hash__ = lambda self: hash(self._value_)
        cls.__str__ = lambda self: str(self._value_)
    elif name == "ReprEnum":
        value = Enum
    elif name in ("FlagBoundary", "STRICT", "CONFORM", "EJECT", "KEEP"):
        made = __getattr__("StrEnum")("FlagBoundary", "STRICT CONFORM EJECT KEEP")
        globals().update(made.__members__)
        globals()["FlagBoundary"] = made
        return globals()[name]
    elif name in ("EnumCheck", "UNIQUE", "CONTINUOUS", "NAMED_FLAGS"):
        made = __getattr__("StrEnum")("EnumCheck", {
            "CONTINUOUS": "no skipped integer values",
            "NAMED_FLAGS": "multi-flag aliases may not contain unnamed flags",
            "UNIQUE": "one name per value",
        })
        globals().update(made.__members__)
        globals()["EnumCheck"] = made
        return globals()[name]
    elif name == "verify":
        value = _verify()
    elif name in ("global_enum", "global_enum_repr", "global_flag_repr", "global_str"):
        globals().update(_globals())
        return globals()[name]
    elif name == "__all__":
        return ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "auto", "unique", "member",
                "nonmember", "EnumType", "EnumMeta", "ReprEnum", "property", "FlagBoundary", "STRICT",
                "CONFORM", "EJECT", "KEEP", "EnumCheck", "UNIQUE", "CONTINUOUS", "NAMED_FLAGS",
                "verify", "global_enum", "global_enum_repr",
                "global_flag_repr", "global_str")
    else:
        raise AttributeError(f"module 'enum' has no attribute '{name}'")
    globals()[name] = value
    return value
