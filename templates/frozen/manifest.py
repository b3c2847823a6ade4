# Python modules that every interpreter can import without a file system, in the format of
# upstream's tools/manifestfile.py. modules/asyncio/__init__.py is in place of upstream's.
package(
    "asyncio",
    ("core.py", "event.py", "funcs.py", "lock.py", "stream.py"),
    base_path="$(MPY_DIR)/extmod",
    opt=3,
)
module("uasyncio.py", base_path="$(MPY_DIR)/extmod/asyncio", opt=3)
freeze("modules")
