"""Commands of the development tools: one module per command, each with a click `command`.

`porter/cli/_development.py` loads a module when `porter NAME` is called in a checkout. Modules with
a leading `_` are helpers.
"""
