# Library: Threads
# Modules of threads, processes and sockets are missing.
import threading
print(threading.current_thread().name)
