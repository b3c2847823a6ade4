"""A ray tracer: one interpreter per pixel, with classes for vectors and spheres (scene.py).

    python examples/ray_tracer/render.py [--size 320x200] [--samples 2] [spheres.png]
"""

import argparse
from pathlib import Path

from PIL import Image

from porter import InterpreterArray

SCENE = Path(__file__).with_name("scene.py")


def render(width, height, samples):
    """Return the picture as a NumPy array of height x width x 3 bytes."""
    with InterpreterArray(width * height) as pythons:
        picture = pythons.device.xp.zeros((width * height, 3), "uint8")
        pythons.bind("row", picture, split=True)  # interpreter i writes row i
        pythons.exec(pythons.compile(SCENE.read_text(), SCENE.name))
        pythons.exec(f"row[:] = bytes(pixel(threadIdx, {width}, {height}, {samples}))")
        return pythons.device.host(picture).reshape(height, width, 3)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", default="320x200", help="WIDTHxHEIGHT of the picture")
    parser.add_argument("--samples", type=int, default=2, help="samples x samples rays a pixel")
    parser.add_argument("picture", nargs="?", default="spheres.png")
    options = parser.parse_args()
    width, height = map(int, options.size.split("x"))
    Image.fromarray(render(width, height, options.samples)).save(options.picture, optimize=True)
    print(f"{options.picture}: {width * height} interpreters, {options.samples**2} rays each")


if __name__ == "__main__":
    main()
