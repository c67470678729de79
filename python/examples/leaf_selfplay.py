#!/usr/bin/env python3
"""Self-play as AlphaZero does it, with many games at once: the server searches, this program values the leaves.

Every move of every game is a tree search whose leaves are valued in batches by `network`, which stands in for a neural
network here: the value is a squashed linear function of the victory points, the priors are uniform. The games become
examples (observation, policy, result) for training. Needs pyzmq, msgpack and numpy.

    longroll serve --bind tcp://127.0.0.1:5555
    python3 leaf_selfplay.py tcp://127.0.0.1:5555 --scenario cedar-mountain/gate
"""

import argparse
import pathlib
import sys
import time

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from longroll.search import leaf_search, unpack_mask  # noqa: E402
from remote_random import Client, ServerError  # noqa: E402


class Network:
    """values and priors of a batch of observations, as leaf_search asks for them; counts what it is asked."""

    def __init__(self, opened):
        self.points = [column["name"] for column in opened["global_columns"]].index("victory_points")
        self.leaves = self.calls = 0

    def __call__(self, leaves):
        self.leaves += len(leaves["to_move"])
        self.calls += 1
        return np.tanh(leaves["globals"][:, self.points] / 30), None  # None: priors all alike


def choose(policy, rng):
    """An action of each row, drawn by its share of the visits."""
    total = policy.cumsum(axis=1)
    return (total < rng.random((len(policy), 1)) * total[:, -1:]).sum(axis=1)


def play(client, opened, network, options):
    """Plays one game in each environment to its end. Returns the examples (pieces, globals, mask, policy, result: who
    moved won +1, lost -1) and the games' results for the Union."""
    rng = np.random.default_rng(options.seed)
    size = opened["size"]
    batch = client.batch(client.call("reset")[1])
    results, examples = np.zeros(size), []
    for move in range(opened["max_decisions"]):
        playing = np.flatnonzero(batch["to_move"] < 2)
        if len(playing) == 0:
            break
        found = leaf_search(client, network, simulations=options.simulations, leaves=options.leaves,
                            seed=options.seed * opened["max_decisions"] + move)
        policy = found.policy(opened["actions"])
        examples.append((playing, *(batch[name][playing] for name in ("pieces", "globals", "mask", "to_move")), policy))
        actions = np.full(size, -1, "<i4")
        actions[found["env"]] = choose(policy, rng)
        batch = client.batch(client.call("step", actions.tobytes())[1])
        ended = batch["terminated"].astype(bool)
        results[ended] = batch["episode_return"][ended, 0]
        if options.verbose and move % 50 == 0:
            print(f"move {move}: {len(playing)} games go on, {network.leaves:,} leaves", flush=True)
    env, pieces, glob, mask, mover, policy = (np.concatenate(parts) for parts in zip(*examples))
    assert unpack_mask(mask, policy.shape[1])[policy > 0].all()  # only legal actions are ever visited
    return (pieces, glob, mask, policy, np.where(mover == 0, results[env], -results[env])), results


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("endpoint", help="as `longroll serve` prints it")
    parser.add_argument("--scenario", default="cedar-mountain/gate")
    parser.add_argument("--games", type=int, default=64, help="played at once (default 64)")
    parser.add_argument("--simulations", type=int, default=50, help="for each move (default 50)")
    parser.add_argument("--leaves", type=int, default=8, help="of one game in one round, at most (default 8)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()

    client = Client(options.endpoint)
    opened = client.open(scenario=options.scenario, size=options.games, seed=options.seed, autoreset="disabled")
    network = Network(opened)
    started = time.perf_counter()
    examples, results = play(client, opened, network, options)
    spent = time.perf_counter() - started
    print(f"{opened['title']}: {options.games} games; Union won {(results > 0).sum()}, lost {(results < 0).sum()}, "
          f"drew {(results == 0).sum()}")
    print(f"{len(examples[-1]):,} examples; {network.leaves:,} leaves in {network.calls:,} batches of "
          f"{network.leaves / network.calls:.0f}")
    print(f"{options.games / spent:.2f} games/s, {network.leaves / spent:,.0f} leaves/s")
    client.close()


if __name__ == "__main__":
    try:
        main()
    except (ServerError, TimeoutError) as error:
        sys.exit(f"leaf_selfplay.py: {error}")
