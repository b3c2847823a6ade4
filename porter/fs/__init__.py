"""littlefs2 images on the host, which interpreters mount at "/"."""

from porter.fs.image import BLOCK_SIZE, Entry, Image

__all__ = ["BLOCK_SIZE", "Entry", "Image"]
