"""The compiled tier: Python bytecode to C++ that runs beside the interpreter."""
