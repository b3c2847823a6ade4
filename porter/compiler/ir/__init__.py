"""The typed intermediate representation (IR) of the compiled tier, and its printers.

translate.py builds the IR, the passes in porter/compiler/passes rewrite it, text.py prints it for
people and cxx.py prints it as C++ for the host and for kernels.
"""
