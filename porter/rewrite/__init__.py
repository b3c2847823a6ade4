"""The rewrite stage of the build: preprocessed C in, C++ for host and device out.

Facts of each unit (`facts.py`) are merged into one view of the program (`program.py`). Rules
(`rules/`) read a unit and this view, and return edits (`edit.py`). One engine (`engine.py`)
applies the edits.
"""
