"""A sweep on a Ray cluster of several nodes, one of which dies, ends as one on this machine that was left alone."""

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from torture import differences, trained_table

from dbench.errors import InvalidInput
from dbench.zoo.cluster import connected
from dbench.zoo.engine import Group, train_group
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs

PROGRAM = """
import io, json, sys, threading, time

import ray
from ray.cluster_utils import Cluster
from rich.console import Console

from dbench.errors import DbenchError
from dbench.zoo.keys import RunKey
from dbench.zoo.store import Store
from dbench.zoo.train import train_runs

SMALL = {"object_store_memory": 80 * 2**20}


def kill_when_all_train(cluster, node, store, keys, seen):
    while not all(store.status(key) for key in keys):
        time.sleep(0.02)
    seen["at kill"] = [store.status(key) for key in keys]
    cluster.remove_node(node, allow_graceful=False)


if __name__ == "__main__":
    store, keys = Store(sys.argv[1]), [RunKey.from_axes(axes) for axes in json.loads(sys.argv[2])]
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "include_dashboard": False, **SMALL})
    first, second = (cluster.add_node(num_cpus=1, **SMALL) for _ in range(2))
    ray.init(address=cluster.address, log_to_driver=False)
    seen, text, options = {}, io.StringIO(), {"engine": "ray", "checkpoint_every": 0.0}
    try:
        train_runs(store, keys, device="cuda", engine="ray")
    except DbenchError as error:
        seen["without a GPU"] = str(error)
    # The time is up before the first step: what was begun is saved.
    options["console"] = Console(file=text, width=200)
    seen["budget"] = train_runs(store, keys, budget=0.01, **options).others["left"]
    killer = threading.Thread(target=kill_when_all_train, args=(cluster, second, store, keys, seen))
    killer.start()
    summary = train_runs(store, keys, **options)
    killer.join()
    alive = lambda: len([node for node in ray.nodes() if node["Alive"]])  # Ray takes its time to see a death
    until = time.monotonic() + 60
    while alive() > 2 and time.monotonic() < until:
        time.sleep(0.2)
    seen |= {"trained": summary.done, "left": summary.others["left"], "nodes": alive()}
    seen |= {"text": text.getvalue(), "sessions": len(list(store._fs.glob(store.root + "/sessions/*")))}
    print()
    print("SEEN", json.dumps(seen), flush=True)
    ray.shutdown()
    cluster.shutdown()
"""
MARK = "DBENCH_TEST_OF_RAY"


@pytest.fixture
def keys(tiny):
    return replace(tiny, steps=3000, batch_size=16, seeds=1).runs()


@pytest.fixture
def marked(tmp_path):
    """Environment by which every process of the cluster can be told; none may be left."""
    slow = {"RAY_raylet_start_wait_time_s": "120", "RAY_gcs_server_request_timeout_seconds": "120"}
    yield {**os.environ, **slow, MARK: str(tmp_path), "RAY_USAGE_STATS_ENABLED": "0"}
    until = time.monotonic() + 10
    while (left := _marked(tmp_path)) and time.monotonic() < until:
        time.sleep(0.2)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left == {}


def _marked(folder):
    found = {}
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if f"{MARK}={folder}".encode() in (process / "environ").read_bytes():
                found[int(process.name)] = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode()
    return found


@pytest.mark.long
@pytest.mark.nightly
def test_a_cluster_that_loses_a_node_trains_the_same_runs(store, keys, marked, tmp_path, channel):
    pytest.importorskip("ray", reason="Ray is not installed (pip install 'dbench[ray]')")
    arguments = [sys.executable, "-c", PROGRAM, store.url, json.dumps([key.axes for key in keys])]
    done = subprocess.run(arguments, env=marked, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    # Ray writes lines of its own there, before and after.
    (line,) = (line for line in done.stdout.splitlines() if line.startswith("SEEN "))
    seen = json.loads(line.removeprefix("SEEN "))
    assert "the Ray cluster must offer a processor and 1 GPUs for each group" in seen["without a GPU"]
    assert seen["budget"] == len(keys)
    assert set(seen["at kill"]) == {"interrupted"}
    assert (seen["trained"], seen["left"], seen["nodes"], seen["sessions"]) == (len(keys), 0, 2, 0)
    assert "4 runs in 2 groups of at most 2, 2 at once on a Ray cluster" in seen["text"]
    alone = Store(tmp_path / "alone")
    train_group(channel(), Group(alone.url, tuple(keys)))
    assert differences(trained_table(store, keys), trained_table(alone, keys)) == 0


@pytest.mark.parametrize("error", [None, ValueError("no cluster")])
def test_ray_leaves_it_to_the_command_how_a_sigterm_ends_it(monkeypatch, error):
    def init(**_):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(signal.SIGTERM))
        if error:
            raise error

    ray = SimpleNamespace(is_initialized=lambda: False, init=init, shutdown=lambda: None)
    monkeypatch.setitem(sys.modules, "ray", ray)
    ray.exceptions = SimpleNamespace(RayError=RuntimeError)
    before = signal.getsignal(signal.SIGTERM)
    with suppress(InvalidInput), connected():
        assert signal.getsignal(signal.SIGTERM) is before
    assert signal.getsignal(signal.SIGTERM) is before


def test_without_ray_a_message_says_how_to_get_it(store, keys, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InvalidInput, match=r"not installed; pip install 'dbench\[ray\]'"):
        train_runs(store, keys, engine="ray")
