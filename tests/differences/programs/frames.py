# Functions: Frames
import inspect
print(inspect.currentframe() is not None)
