"""Public name of the file system functions in `porter.run.launch.filesystem`."""

from porter.run.launch.filesystem import copies, image_of, mounted, written

__all__ = ["copies", "image_of", "mounted", "written"]
