"""The process that lays graphs out: what it writes are replies and nothing else."""

import json
import subprocess
import sys

from adviz.stage.layout.placing import WORKER


def test_what_a_library_prints_is_no_reply(tmp_path):
    (tmp_path / "pygraphviz.py").write_text("print('loading')")
    job = json.dumps({"deadline": 0, "orderings": []})
    command = [sys.executable, "-I", "-S", str(WORKER), str(tmp_path)]  # without the packages that are installed
    done = subprocess.run(command, input=f"{job}\n{job}\n", capture_output=True, text=True, check=True, timeout=60)
    assert [json.loads(line) for line in done.stdout.splitlines()] == [[], []]
