"""The Python side of the wire: the example client against the built program, and the golden vectors.

The program is the one that the environment variable LONGROLL names, else build/release/longroll.
"""

import os
import pathlib
import signal
import subprocess
import sys

import msgpack
import numpy as np
import pytest
import zmq

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("LONGROLL", str(ROOT / "build/release/longroll"))
EXAMPLE = ROOT / "python/examples/remote_random.py"
SCENARIO = "cedar-mountain/historical"
sys.path.insert(0, str(EXAMPLE.parent))
sys.path.insert(0, str(ROOT / "python"))

from longroll.errors import RETRY, SENTENCES, Code  # noqa: E402
from remote_random import Client, ServerError, play, random_legal  # noqa: E402


class Serving:
    def __init__(self, *arguments):
        self.process = subprocess.Popen([PROGRAM, "serve", "--quiet", *arguments], stdout=subprocess.PIPE, text=True)
        self.endpoint = self.process.stdout.readline().strip()

    def stop(self, how=signal.SIGTERM):
        self.process.send_signal(how)
        try:
            return self.process.wait(timeout=10)
        finally:
            self.process.kill()
            self.process.stdout.close()


@pytest.fixture(scope="module", params=["ipc", "tcp"])
def serving(request):
    serving = Serving(*([] if request.param == "ipc" else ["--bind", "tcp://127.0.0.1:*"]))
    assert serving.endpoint.startswith(request.param + "://")
    yield serving
    assert serving.stop() == 0


@pytest.fixture
def client(serving):
    client = Client(serving.endpoint)
    yield client
    client.close()


def test_example_plays(serving):
    done = subprocess.run([sys.executable, str(EXAMPLE), serving.endpoint, "--size", "8", "--games", "8"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "games: Union won" in done.stdout and "steps/s" in done.stdout


def test_example_says_what_is_wrong(serving):
    done = subprocess.run([sys.executable, str(EXAMPLE), serving.endpoint, "--scenario", "no/such"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert done.stderr.startswith("remote_random.py: BAD_SCENARIO: ") and done.stderr.count("\n") == 1


def test_specs_hold(client):
    opened = client.open(scenario=SCENARIO, size=5, seed=3, autoreset="same_step")
    assert {a["name"] for a in opened["arrays"]} >= {"pieces", "globals", "mask", "rewards", "to_move"}
    low = np.array([c["low"] for c in opened["global_columns"]])
    high = np.array([c["high"] for c in opened["global_columns"]])
    rng = np.random.default_rng(1)
    batch = client.batch(client.call("reset")[1])
    for _ in range(300):
        reply, raw = client.call("step", random_legal(batch["mask"], rng).tobytes())
        batch = client.batch(raw)
        assert len(raw[0]) == opened["batch_bytes"]
        assert ((low <= batch["globals"]) & (batch["globals"] <= high)).all()
        assert (batch["rewards"].sum(axis=1) == 0).all()
        assert reply["final"] == batch["terminated"].sum()
        assert len(raw) == (2 if reply["final"] else 1)


def test_same_seeds_same_games(client):
    client.open(scenario=SCENARIO, size=4, seed=11, autoreset="same_step")
    first = play(client, 6, np.random.default_rng(5))
    client.call("close")
    client.token = None
    client.open(scenario=SCENARIO, size=4, seed=11, autoreset="same_step")
    assert play(client, 6, np.random.default_rng(5)) == first


def test_retry_happens_once(client):
    client.open(scenario=SCENARIO, size=1, seed=1)
    batch = client.batch(client.call("reset")[1])
    header = {"t": "step", "q": client.q + 1, "s": client.token}
    message = [msgpack.packb(header), random_legal(batch["mask"], np.random.default_rng(1)).tobytes()]
    replies = []
    for _ in range(2):
        client.socket.send_multipart(message)
        assert client.socket.poll(5000)
        replies.append(client.socket.recv_multipart())
        client.connect()  # another connection, as after a lost reply
    assert replies[0] == replies[1]
    client.q += 1
    assert client.call("stats", env=0)[0]["resends"] == 1


def test_illegal_action_names_the_slot(client):
    client.open(scenario=SCENARIO, size=3)
    with pytest.raises(ServerError) as caught:
        client.call("step", np.array([-1, -1, 100000], "<i4").tobytes())
    assert caught.value.reply["e"] == Code.ILLEGAL_ACTION and caught.value.reply["env"] == 2
    assert client.call("observe")[0]["e"] == 0  # the session goes on


def test_save_and_load(client):
    client.open(scenario=SCENARIO, size=2, seed=2)
    saved, raw = client.call("save", env=0)
    loaded, _ = client.call("load", raw[0].bytes, env=1, dice="same")
    assert loaded["hash"] == saved["hash"]
    text = client.call("render", env=1)[1][0].bytes.decode()
    assert text.count("\n") > 10


@pytest.mark.parametrize("use_bin_type", [True, False])
def test_old_style_strings_are_refused_for_tokens(client, use_bin_type):
    """A token packed as str (old msgpack) is a faulty field, not a crash."""
    client.socket.send(msgpack.packb({"t": "observe", "q": 1, "s": bytes(16)}, use_bin_type=use_bin_type))
    reply = msgpack.unpackb(client.socket.recv())
    assert reply["e"] == (Code.NO_SESSION if use_bin_type else Code.BAD_FIELD)


def test_golden_headers(client):
    """What the vectors call well-formed, Python's msgpack reads and writes alike; the server refuses the others."""
    for line in (ROOT / "proto/vectors/headers.txt").read_text().splitlines():
        if line.startswith("#"):
            continue
        name, code, text = line.split()
        packed = b"" if text == "-" else bytes.fromhex(text)
        client.socket.send(packed)
        assert client.socket.poll(5000), name
        reply = msgpack.unpackb(client.socket.recv())
        if code == "OK":
            assert msgpack.packb(msgpack.unpackb(packed)) == packed, name
            assert reply["e"] not in (Code.BAD_MSGPACK, Code.TOO_LARGE), name
            if reply["t"] == "opened":
                client.token, client.q = reply["s"], reply["q"]
        else:
            assert reply["e"] == Code[code], name


def test_error_table():
    assert set(SENTENCES) == set(Code) and len({*SENTENCES.values()}) == len(Code)
    assert Code.BUSY in RETRY and Code.BAD_SEQ not in RETRY


def test_many_clients_and_one_that_vanishes(serving):
    clients = [Client(serving.endpoint) for _ in range(5)]
    for i, client in enumerate(clients):
        client.open(scenario=SCENARIO, size=2, seed=i)
    clients[0].socket.close()  # without a word
    for client in clients[1:]:
        assert len(play(client, 1, np.random.default_rng(0))[0]) >= 1
        client.close()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_stops_cleanly_under_load(how):
    serving = Serving()
    folder = pathlib.Path(serving.endpoint.removeprefix("ipc://")).parent
    assert folder.stat().st_mode & 0o777 == 0o700
    client = Client(serving.endpoint, deadline=2, retries=1)
    client.open(scenario=SCENARIO, size=1000, opponent="greedy")
    header = msgpack.packb({"t": "reset", "q": client.q + 1, "s": client.token})
    client.socket.send(header)
    assert serving.stop(how) == 0
    assert not folder.exists()
    client.socket.close()


def test_endpoint_in_use_and_refused_ones():
    serving = Serving()
    for endpoint, code, word in [(serving.endpoint, 1, "in use"), ("tcp://0.0.0.0:5999", 2, "--insecure"),
                                 ("http://x", 2, "no endpoint")]:
        done = subprocess.run([PROGRAM, "serve", "--bind", endpoint], capture_output=True, text=True, timeout=20)
        assert done.returncode == code and word in done.stderr and done.stderr.count("\n") == 1
    assert Client(serving.endpoint).call("ping")[0]["t"] == "pong"
    assert serving.stop() == 0


def test_curve(tmp_path):
    assert zmq.has("curve"), "pyzmq from PyPI brings CURVE; this one was built without it"
    public, secret = zmq.curve_keypair()
    (tmp_path / "key").write_bytes(secret)
    serving = Serving("--bind", "tcp://127.0.0.1:*", "--curve-key", str(tmp_path / "key"))
    socket = zmq.Context.instance().socket(zmq.DEALER)
    socket.linger = 0
    socket.curve_serverkey = public
    socket.curve_publickey, socket.curve_secretkey = zmq.curve_keypair()
    socket.connect(serving.endpoint)
    socket.send(msgpack.packb({"t": "ping", "q": 1}))
    assert socket.poll(5000) and msgpack.unpackb(socket.recv())["t"] == "pong"
    socket.close()
    assert serving.stop() == 0
