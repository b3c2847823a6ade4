"""File systems of a launch, by the module's documented name: launch/filesystem.py has them."""

from porter.run.launch.filesystem import copies, image_of, mounted, written

__all__ = ["copies", "image_of", "mounted", "written"]
