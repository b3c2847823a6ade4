# Python modules that every interpreter can import without a file system, in the format of
# upstream's tools/manifestfile.py.
include("$(MPY_DIR)/extmod/asyncio")
freeze("modules")
