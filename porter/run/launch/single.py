"""Launch on one device, step by step: request, plan, templates, prepared launch, running launch.

Callers: `porter.run.start` for a device that runs interpreters itself, and `porter.run.several` for
each member of a composite device.
"""

from __future__ import annotations

import time

from porter.run.device.base import Device
from porter.run.launch.plan import LaunchRequest, plan_launch
from porter.run.launch.prepared import prepare
from porter.run.launch.running import DeviceLaunch, start_prepared
from porter.run.launch.templates import with_templates


def start_on_device(device: Device, request: LaunchRequest) -> DeviceLaunch:
    """Start a launch on one device. Raises as `porter.run.start.start`."""
    began = time.monotonic()
    plan = with_templates(plan_launch(device, request))
    prepared = prepare(plan, began)
    return start_prepared(prepared)
