# Only releases with template strings have the C module; in others this import raises ImportError.
from ustring.templatelib import Interpolation, Template
