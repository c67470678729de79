"""Searching from Python: against the built program (see test_remote.py), with python/longroll/search.py."""

import pathlib
import subprocess
import sys
import time

import msgpack
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "python"), str(ROOT / "python/examples"), str(ROOT / "tests/python")]

from longroll.errors import Code  # noqa: E402
from longroll.search import arrays, leaf_search, search, unpack_mask  # noqa: E402
from remote_random import Client, ServerError, random_legal  # noqa: E402
from test_remote import Serving  # noqa: E402

EXAMPLE = ROOT / "python/examples/leaf_selfplay.py"
SCENARIO = "cedar-mountain/gate"
SIZE = 4


@pytest.fixture(scope="module")
def serving():
    serving = Serving()
    yield serving
    assert serving.stop() == 0


@pytest.fixture
def client(serving):
    client = Client(serving.endpoint)
    client.open(scenario=SCENARIO, size=SIZE, seed=3)
    batch = client.batch(client.call("reset")[1])
    rng = np.random.default_rng(1)
    for _ in range(30):
        batch = client.batch(client.call("step", random_legal(batch["mask"], rng).tobytes())[1])
    client.mask = batch["mask"].copy()
    yield client
    client.close()


def same(a, b):
    return all((a[name] == b[name]).all() for name in a if name != "seconds")


def test_found_is_about_the_legal_actions(client):
    found = search(client, simulations=60, seed=1)
    actions = client.mask.shape[1] * 8
    legal = unpack_mask(client.mask, actions)
    assert found.done and (found["simulations"] == 60).all() and (found["env"] == np.arange(SIZE)).all()
    assert (found["count"] == legal.sum(axis=1)).all()
    policy = found.policy(actions)
    assert np.allclose(policy.sum(axis=1), 1) and not policy[~legal].any()
    assert np.allclose(found.spread("prior", actions).sum(axis=1), 1, atol=1e-5)
    assert (policy[np.arange(SIZE), found["best"]] >= policy.max(axis=1) / 2).all()
    assert (found["line"][:, 0] == found["best"]).all() and (np.abs(found["root_value"]) <= 1).all()
    assert found.options["method"] == "mcts" and found.options["nodes"] == 0


def test_slices_and_other_roots_change_nothing(client):
    options = {"simulations": 80, "rollout_length": 10}
    whole = search(client, seed=2, **options)
    part = search(client, seed=2, slice=33, **options)
    pieces = 1
    while not part.done:
        part = search(client, go_on=True, slice=33)
        pieces += 1
    assert pieces >= SIZE * 80 // 33 and same(whole, part)
    alone = search(client, env=2, seed=2, **options)
    assert (alone["visits"] == whole["visits"][whole["root"] == 2]).all()
    assert not (search(client, seed=5, **options)["value"] == whole["value"]).all()


def test_saved_states_are_roots(client):
    saved = [client.call("save", env=env)[1][0].bytes for env in range(SIZE)]
    assert same(search(client, *saved, simulations=40, seed=9), search(client, simulations=40, seed=9))


def test_expectimax(client):
    found = search(client, method="expectimax", depth=1)
    assert found.done and (found["depth"] == 1).all() and (found["visits"] == 1).all()
    first = found["root"] == 0
    best = found["value"][first].max() if found["to_move"][0] == 0 else found["value"][first].min()
    assert found["root_value"][0] == best


@pytest.mark.parametrize("leaves", [1, 8])
def test_leaves_are_valued_here(client, leaves):
    actions = client.mask.shape[1] * 8
    rounds = []

    def evaluate(batch):
        rounds.append(len(batch["root"]))
        legal = unpack_mask(batch["mask"], actions)
        assert legal.any(axis=1).all() and (batch["to_move"] < 2).all()
        priors = np.where(legal, np.arange(actions) % 7, np.nan)  # what is not legal is not looked at
        return np.where(batch["to_move"] == 0, 0.5, -0.5), priors

    found = leaf_search(client, evaluate, simulations=50, leaves=leaves, seed=1)
    assert rounds[0] == SIZE and sum(rounds) <= SIZE * 50 and max(rounds) <= SIZE * leaves
    assert found.done and (found["simulations"] == 50).all()
    assert np.allclose(found["root_value"], 0.5)  # the Union's, whoever moves
    weights = np.arange(actions) % 7 * unpack_mask(client.mask, actions)
    prior = found.spread("prior", actions)
    assert np.allclose(prior, weights / np.maximum(weights.sum(axis=1, keepdims=True), 1), atol=1e-5)


def test_a_bad_value_names_its_leaf(client):
    search(client, simulations=10, leaves=2)
    header, raw = client.call("leaves")
    assert header["count"] == SIZE and len(arrays(header, raw[0])["root"]) == SIZE
    with pytest.raises(ServerError) as caught:
        client.call("leaves", np.array([0, 0, np.nan, 0], "<f4").tobytes())
    assert caught.value.reply["e"] == Code.BAD_FIELD and "leaf 2" in caught.value.reply["text"]
    assert client.call("leaves", np.zeros(SIZE, "<f4").tobytes())[0]["count"] > 0


def test_refusals(client):
    for fields, code in [({"go_on": True}, Code.NO_SEARCH), ({"method": "ab"}, Code.BAD_FIELD),
                         ({"env": [0, SIZE]}, Code.BAD_FIELD), ({"tree_nodes": 1 << 28}, Code.BAD_FIELD),
                         ({"threads": 1000}, Code.BAD_FIELD)]:
        with pytest.raises(ServerError) as caught:
            search(client, **fields)
        assert caught.value.reply["e"] == code
    with pytest.raises(ServerError) as caught:
        search(client, b"no state", simulations=1)
    assert caught.value.reply["e"] == Code.BAD_FRAME


def test_cancel_ends_a_search(serving, client):
    message = {"t": "search", "q": client.q + 1, "s": client.token, "env": 0, "simulations": 1 << 50}
    client.socket.send(msgpack.packb(message))
    time.sleep(0.1)
    second = Client(serving.endpoint)
    second.token = client.token
    assert second.call("cancel")[0]["running"]
    client.q += 1
    reply, raw = client.receive()
    assert reply["t"] == "searched" and not reply["done"] and arrays(reply, raw[0])["simulations"][0] > 0
    with pytest.raises(ServerError) as caught:
        search(client, go_on=True)
    assert caught.value.reply["e"] == Code.NO_SEARCH
    second.socket.close()


def test_selfplay_example(serving):
    done = subprocess.run([sys.executable, str(EXAMPLE), serving.endpoint, "--scenario", "cedar-mountain/duel",
                           "--games", "8", "--simulations", "12", "--leaves", "4"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    assert "8 games; Union won" in done.stdout and "leaves/s" in done.stdout
