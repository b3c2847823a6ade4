"""The table of planted faults (porter_dev/faults.toml) follows the files that its rows change."""

from click.testing import CliRunner

from porter_dev import faults


def test_every_fault_applies_to_this_tree() -> None:
    """A commit that changes the line of a fault must adapt the row of the fault."""
    result = CliRunner().invoke(faults.group, ["check"])
    assert result.exit_code == 0, result.output


def test_the_names_of_faults_are_unique() -> None:
    """Reports and the option --results identify a fault by its name."""
    names = [fault.name for fault in faults.faults()]
    assert len(set(names)) == len(names)
