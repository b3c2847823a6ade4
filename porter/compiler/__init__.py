"""The translator of the compiled tier: MicroPython bytecode in, C++ text out.

The package runs no tool and opens no device. `porter/native/` collects type feedback, calls the
translator, compiles the C++ to native code and loads it.
"""
