"""Build the front end while hatchling builds the Python package, so that `pip install .` is the only command needed.

The bundles in `adviz/static` are git-ignored and made here, for wheels and editable installs alike. They are made only
when a source is newer than they are, so that installing again costs nothing.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

WIDGETS = Path(__file__).parent
BUNDLES = [
    WIDGETS.parent / "adviz" / "static" / f"{name}.js" for name in ("graphs", "sweeps", "eliminations", "pictures")
]
LOCK = WIDGETS / "package-lock.json"
INSTALLED = WIDGETS / "node_modules" / ".package-lock.json"  # npm writes it when an installation is complete


class FrontEndBuildHook(BuildHookInterface[Any]):
    """Hatchling's door to this file, named in pyproject.toml."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Bring the bundles up to date; a standard build and an editable one (`version`) need the same."""
        if all(is_fresh(bundle, sources()) for bundle in BUNDLES):
            return
        if not is_fresh(INSTALLED, [LOCK]):
            self.npm("ci")
        self.npm("run", "build")

    def npm(self, *arguments: str) -> None:
        """Run npm in the widgets folder, or end the build with one line."""
        command = "npm " + " ".join(arguments)
        self.app.display_info(f"adviz: building the front end: {command}")
        if subprocess.run([sys.executable, WIDGETS / "npm.py", *arguments]).returncode:
            raise SystemExit(f"adviz: the front end could not be built, `{command}` failed in {WIDGETS} (see above)")


def sources() -> list[Path]:
    """All files that the bundles are made of or made by."""
    return [*WIDGETS.glob("src/**/*"), WIDGETS / "build.mjs", LOCK]


def is_fresh(target: Path, made_of: list[Path]) -> bool:
    """`target` exists and nothing it is made of is newer."""
    return target.exists() and target.stat().st_mtime >= max(path.stat().st_mtime for path in made_of)
