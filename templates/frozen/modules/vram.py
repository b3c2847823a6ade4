# File systems in memory that interpreters share. See docs/how-to/files.md.

from gpu import VRAMBlockDevice
import random
import time

EBUSY = 16  # another interpreter is writing
ESTALE = 116  # another interpreter has written since this file was opened


# Return function(*args); call it again while EBUSY or ESTALE is raised. It must close its files.
def retry(function, *args):
    wait = 50  # microseconds
    while True:
        try:
            return function(*args)
        except OSError as error:
            if error.errno not in (EBUSY, ESTALE):
                raise
        time.sleep_us(random.randrange(wait))
        wait = min(2 * wait, 50000)
