# Library: Flags of regular expressions
# Flags are of type int.
import re
print(repr(re.IGNORECASE))
