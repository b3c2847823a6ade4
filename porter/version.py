"""The version of porter, in a module without imports, so that build tools can load it."""

__version__ = "0.1.0"
