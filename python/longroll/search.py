"""Searching over the wire: ask the server to look ahead, or let it ask you about leaves.

`client` is anything with call(kind, *frames, **fields) -> (header, raw frames), such as the class Client in
python/examples/remote_random.py, with a session open. The messages are in proto/PROTOCOL.md. Needs only numpy.

    found = search(client, env=[0, 1], simulations=500, seed=7)
    found["best"], found["root_value"]             # one of each root
    policy = found.policy(opened["actions"])       # [roots, actions]: shares of the visits

    found = leaf_search(client, evaluate, leaves=8, simulations=100, seed=7)

where evaluate(leaves) takes the observations of a round and returns values, and priors or None: see leaf_search.
"""

import numpy as np


def arrays(header, frame):
    """The arrays of a raw frame that `header` describes, by name: views of its bytes, valid as long as they are kept."""
    buffer = getattr(frame, "buffer", frame)
    return {
        a["name"]: np.frombuffer(buffer, a["dtype"], int(np.prod(a["shape"])), a["offset"]).reshape(a["shape"])
        for a in header["arrays"]
    }


def unpack_mask(mask, actions):
    """Masks as bool [rows, actions]."""
    return np.unpackbits(mask, axis=1, count=actions, bitorder="little").astype(bool)


class Found(dict):
    """What a search found: its arrays by name. `done`: all roots have come to their limits."""

    def __init__(self, header, frame):
        super().__init__(arrays(header, frame))
        self.done = header["done"]
        self.options = header["options"]

    def spread(self, name, actions):
        """An array with an entry for each legal action ("visits", "value", "prior") as [roots, actions], else 0."""
        wide = np.zeros((len(self["best"]), actions), self[name].dtype)
        wide[self["root"], self["action"]] = self[name]
        return wide

    def policy(self, actions):
        """The shares of the visits, [roots, actions]; the priors where nothing has been visited."""
        visits = self.spread("visits", actions).astype(np.float32)
        total = visits.sum(axis=1, keepdims=True)
        return np.where(total > 0, visits / np.maximum(total, 1), self.spread("prior", actions))


def search(client, *saved, **fields):
    """Looks ahead from the session's environments (`env`: a number or a list; default all in which a player moves) or
    from saved states. `fields`: the options of `search`; `slice` returns early, and search(client, go_on=True) goes on."""
    header, raw = client.call("search", *([b"".join(saved)] if saved else []), **fields)
    return Found(header, raw[0])


def leaf_search(client, evaluate, *saved, **fields):
    """The same, but evaluate(leaves) values the leaves, many of all roots at once.

    `leaves` has "pieces", "globals", "mask", "to_move" and "root", each [leaves, ...], as the player to move there sees
    it. evaluate returns values, [leaves] from -1 to +1 for that player, and priors for the legal actions, either
    [leaves, actions] or None; they need not sum to 1. The first round is the roots themselves."""
    fields.setdefault("leaves", 1)
    search(client, *saved, **fields)
    answers = []
    while True:
        header, raw = client.call("leaves", *answers)
        if not header["count"]:
            return search(client, go_on=True)
        leaves = arrays(header, raw[0])
        values, priors = evaluate(leaves)
        answers = [np.ascontiguousarray(values, "<f4").tobytes()]
        if priors is not None:
            priors = np.asarray(priors, "<f4")
            answers.append(priors[unpack_mask(leaves["mask"], priors.shape[1])].tobytes())
