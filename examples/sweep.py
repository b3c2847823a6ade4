"""A parameter sweep: for which gains does a controller bring a drone to its height, how fast?

    python examples/sweep.py [--side 100] [sweep.png]

Each of side x side interpreters simulates one drone with its own gains. The plot needs matplotlib.
"""

import argparse

import numpy as np

from porter import InterpreterArray

FLIGHT = """
STEP = 0.01          # seconds between two decisions
HIGH = 1.0           # where the drone is sent, in metres
NEAR = 0.02          # how near counts as there
DELAY = 12           # steps until a motor does what it is told

def fly(kp, kd, steps):
    '''Seconds until the drone stays near, and how far it rose beyond, in metres.'''
    height = speed = highest = 0.0
    settled = 0
    orders = [0.0] * DELAY
    for step in range(steps):
        error = HIGH - height
        # The motors neither pull down nor have more than three times the drone's weight.
        orders.append(min(29.4, max(0.0, 9.8 + kp * error - kd * speed)))
        speed += (orders.pop(0) - 9.8 - 0.1 * speed * abs(speed)) * STEP
        height = max(0.0, height + speed * STEP)
        highest = max(highest, height)
        if abs(HIGH - height) > NEAR:
            settled = step + 1
    return settled * STEP, highest - HIGH
"""


def gains(side):
    """Return the gains of side x side drones: two flat arrays, kp and kd."""
    kp, kd = np.meshgrid(np.linspace(0.5, 30, side), np.linspace(0.5, 12, side))
    return kp.ravel(), kd.ravel()


def sweep(side, steps):
    """Return two tables of side x side: each drone's settling time (s) and overshoot (m)."""
    kp, kd = gains(side)
    with InterpreterArray(side * side) as pythons:
        pythons.set("kp", kp)  # one number for each interpreter
        pythons.set("kd", kd)
        pythons.exec(pythons.compile(FLIGHT, "flight.py"))
        pythons.exec(f"seconds, beyond = fly(kp, kd, {steps})")
        found = [pythons.device.host(pythons.get(name)) for name in ("seconds", "beyond")]
    return tuple(table.reshape(side, side) for table in found)


def settled(seconds, limit):
    """Return which drones stayed near for at least the last second."""
    return seconds <= limit - 1


def draw(seconds, beyond, limit, path):
    """Plot both tables and mark the fastest drone that overshoots by less than 5 cm."""
    from matplotlib.figure import Figure

    side = len(seconds)
    kp, kd = (axis.reshape(side, side) for axis in gains(side))
    row, column = np.unravel_index(np.where(beyond < 0.05, seconds, np.inf).argmin(), beyond.shape)
    best = kp[row, column], kd[row, column]

    figure = Figure(figsize=(7.2, 4.4), layout="constrained")
    axes = figure.add_subplot()
    shown = np.ma.masked_where(~settled(seconds, limit), seconds)
    mesh = axes.pcolormesh(kp, kd, shown, cmap="viridis_r", vmin=0)
    axes.set_facecolor("0.85")
    figure.colorbar(mesh, label="seconds until it stays within 2 cm (grey: it never does)")
    if beyond.min() < 0.05 < beyond.max():
        lines = axes.contour(kp, kd, beyond, [0.05], colors="white", linestyles="dashed")
        axes.clabel(lines, fmt="5 cm too high", fontsize=8)
    axes.plot(*best, "o", ms=9, mfc="none", mec="crimson", mew=2)
    where = {"xytext": (14, -18), "textcoords": "offset points"}
    paper = {"boxstyle": "round", "fc": "white", "ec": "crimson", "alpha": 0.9}
    axes.annotate(f"{seconds[row, column]:.2f} s", best, color="crimson", bbox=paper, **where)
    axes.set(
        xlabel="proportional gain", ylabel="damping", title=f"{side * side:,} drones, one launch"
    )
    figure.savefig(path, dpi=100)
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=100, help="side x side drones fly")
    parser.add_argument("--steps", type=int, default=800, help="hundredths of a second each flies")
    parser.add_argument("picture", nargs="?", default="sweep.png")
    options = parser.parse_args()
    seconds, beyond = sweep(options.side, options.steps)
    limit = options.steps / 100
    kp, kd = draw(seconds, beyond, limit, options.picture)
    print(f"{settled(seconds, limit).sum()} of {seconds.size} drones settle within {limit - 1:g} s")
    print(f"best gains: {kp:.2f} and {kd:.2f}")


if __name__ == "__main__":
    main()
