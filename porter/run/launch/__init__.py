"""A launch on one device, stage by stage.

`options` are the caller's. `plan` makes a `LaunchPlan` of them, `templates` adds snapshots to start
from, `prepared` allocates memory and fills the record, `running` starts the kernels, waits and
returns the `Result`. `single` calls these stages in this order.
"""
