def __getattr__(name):
    import typing

    if name == "deprecated":
        return lambda *args, **kwargs: typing.final
    return getattr(typing, name)
