# Containers: A negative size of a bytearray
try:
    bytearray(-1)
except (ValueError, MemoryError) as error:
    print(type(error).__name__)
