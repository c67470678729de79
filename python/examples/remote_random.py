#!/usr/bin/env python3
"""Plays a batch of games over the wire with random legal moves.

Needs only pyzmq, msgpack and numpy; written from proto/PROTOCOL.md, so take it as the start of a client of your own.

    longroll serve --bind tcp://127.0.0.1:5555
    python3 remote_random.py tcp://127.0.0.1:5555
"""

import argparse
import sys
import time

import msgpack
import numpy as np
import zmq


class ServerError(Exception):
    """The server refused a request; `reply` holds code, name, text and what is to blame."""

    def __init__(self, reply):
        super().__init__(f"{reply['error']}: {reply['text']}")
        self.reply = reply


class Client:
    """One connection and one session. Requests go out one at a time; each gets exactly one reply."""

    def __init__(self, endpoint, deadline=10.0, retries=3):
        self.endpoint, self.deadline, self.retries = endpoint, deadline, retries
        self.context = zmq.Context()
        self.token, self.q, self.arrays = None, 0, {}
        self.socket = None
        self.connect()

    def connect(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = self.context.socket(zmq.DEALER)
        self.socket.linger = 0
        self.socket.setsockopt(zmq.IMMEDIATE, 1)
        self.socket.setsockopt(zmq.SNDTIMEO, int(self.deadline * 1000))
        self.socket.connect(self.endpoint)

    def call(self, kind, *frames, **fields):
        """Sends a request; returns the reply's header and raw frames. Lost replies are asked for again: the server
        does a request with the same number only once."""
        self.q += 1
        header = {"t": kind, "q": self.q, **fields}
        if self.token:
            header["s"] = self.token
        message = [msgpack.packb(header), *frames]
        for attempt in range(self.retries):
            try:
                self.socket.send_multipart(message, copy=False)
                reply, raw = self.receive()
            except (zmq.Again, TimeoutError):
                self.connect()
                continue
            if reply["e"]:
                self.q = reply.get("next", self.q + 1) - 1
                raise ServerError(reply)
            return reply, raw
        raise TimeoutError(f"no reply from {self.endpoint} after {self.retries} tries of {self.deadline} s")

    def receive(self):
        until = time.monotonic() + self.deadline
        while self.socket.poll(max(0, int((until - time.monotonic()) * 1000))):
            first, *raw = self.socket.recv_multipart(copy=False)
            reply = msgpack.unpackb(first.buffer)
            if reply["q"] == self.q:  # else the late reply to a request that was given up
                return reply, raw
        raise TimeoutError

    def open(self, **fields):
        opened, _ = self.call("open", **fields)
        self.token = opened["s"]
        self.arrays = {a["name"]: (np.dtype(a["dtype"]), a["shape"], a["offset"]) for a in opened["arrays"]}
        return opened

    def batch(self, raw):
        """The arrays of a batch reply: views of the received bytes, valid as long as they are kept."""
        return {
            name: np.frombuffer(raw[0].buffer, dtype, int(np.prod(shape)), offset).reshape(shape)
            for name, (dtype, shape, offset) in self.arrays.items()
        }

    def close(self):
        if self.token:
            self.call("close")
        self.socket.close()
        self.context.term()


def random_legal(mask, rng):
    """One legal action of each row: the one with the largest of random numbers. -1 (skip) where none is legal."""
    bits = np.unpackbits(mask, axis=1, bitorder="little")
    lots = 1 - rng.random(bits.shape, dtype=np.float32)  # never 0
    actions = (bits * lots).argmax(axis=1).astype("<i4")
    actions[~mask.any(axis=1)] = -1
    return actions


def play(client, games, rng):
    """Steps until `games` episodes have ended; returns their returns (Union's) and lengths, and the number of steps."""
    _, raw = client.call("reset")
    batch = client.batch(raw)
    returns, lengths, steps = [], [], 0
    most = 20_000  # a bound, so that nothing loops for ever
    while len(returns) < games and steps < most:
        actions = random_legal(batch["mask"], rng)
        _, raw = client.call("step", actions.tobytes())
        batch = client.batch(raw)
        ended = (batch["terminated"] | batch["truncated"]).astype(bool)
        returns += batch["episode_return"][ended, 0].tolist()
        lengths += batch["episode_length"][ended].tolist()
        steps += 1
    return returns, lengths, steps


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("endpoint", help="as `longroll serve` prints it")
    parser.add_argument("--scenario", default="cedar-mountain/historical")
    parser.add_argument("--size", type=int, default=64, help="environments in the batch (default 64)")
    parser.add_argument("--games", type=int, default=128, help="episodes to play (default 128)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--opponent", default="", help="an agent of the server's, which plays the Confederates")
    options = parser.parse_args()

    client = Client(options.endpoint)
    welcome, _ = client.call("hello", majors=[1], client="remote_random.py")
    print(f"{welcome['server']} speaks protocol {welcome['major']}.{welcome['minor']}")
    opened = client.open(scenario=options.scenario, size=options.size, seed=options.seed, autoreset="same_step",
                         opponent=options.opponent, learner="union")
    print(f"{opened['title']}: {opened['actions']} actions; a reply has {opened['batch_bytes']} bytes")

    started = time.perf_counter()
    returns, lengths, steps = play(client, options.games, np.random.default_rng(options.seed))
    spent = time.perf_counter() - started
    wins, losses = sum(r > 0 for r in returns), sum(r < 0 for r in returns)
    print(f"{len(returns)} games: Union won {wins}, lost {losses}, drew {len(returns) - wins - losses}; "
          f"mean return {np.mean(returns):+.3f}, mean length {np.mean(lengths):.0f} decisions and dice")
    print(f"{steps} batch steps of {options.size}: {steps * options.size / spent:,.0f} steps/s, drawing included")
    client.close()


if __name__ == "__main__":
    try:
        main()
    except (ServerError, TimeoutError) as error:
        sys.exit(f"remote_random.py: {error}")
