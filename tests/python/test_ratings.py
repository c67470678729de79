"""Bradley-Terry and the pentanomial likelihood against independent libraries: choix, and scipy's general optimisers.

The C functions are called in liblongroll.so; structs as in agents/statistics.h and agents/ratings.h.
"""

import ctypes
import math
import pathlib

import choix
import numpy as np
import pytest
from scipy import optimize, stats

LIBRARY = pathlib.Path(__file__).parents[2] / "build" / "release" / "liblongroll.so"
ELO = 400 / math.log(10)


class Tally(ctypes.Structure):
    _fields_ = [("pairs", ctypes.c_int64 * 9)]


class Interval(ctypes.Structure):
    _fields_ = [("value", ctypes.c_double), ("low", ctypes.c_double), ("high", ctypes.c_double)]


class Pairing(ctypes.Structure):
    _fields_ = [("scenario", ctypes.c_int), ("bots", ctypes.c_int * 2), ("tally", Tally)]


class Plan(ctypes.Structure):
    _fields_ = [
        ("bots", ctypes.c_int),
        ("scenarios", ctypes.c_int),
        ("pairings", ctypes.POINTER(Pairing)),
        ("count", ctypes.c_int),
        ("anchor", ctypes.c_int),
        ("by_side", ctypes.c_bool),
        ("prior", ctypes.c_double),
        ("resamples", ctypes.c_int),
        ("stream", ctypes.c_uint64),
    ]


class Strength(ctypes.Structure):
    _fields_ = [
        ("pairs", ctypes.c_int64),
        ("score", Interval),
        ("error", ctypes.c_double),
        ("elo", Interval),
        ("normalized", Interval),
        ("superiority", ctypes.c_double),
        ("draws", ctypes.c_double),
        ("level", ctypes.c_double),
    ]


class Sprt(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("elo0", "elo1", "alpha", "beta")] + [("cap", ctypes.c_int64)]


class Look(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("ratio", "lower", "upper")] + [("end", ctypes.c_int)]


@pytest.fixture(scope="module")
def library():
    lib = ctypes.CDLL(str(LIBRARY))
    lib.sprt_look.restype = Look
    return lib


def fit(library, pairings, bots, scenarios, prior=0.0):
    array = (Pairing * len(pairings))(
        *(Pairing(s, (ctypes.c_int * 2)(a, b), Tally((ctypes.c_int64 * 9)(*t))) for s, a, b, t in pairings)
    )
    plan = Plan(bots, scenarios, array, len(pairings), 0, False, prior, 0, 1)
    ratings, sides = (Interval * bots)(), (Interval * scenarios)()
    assert library.ratings_fit(ctypes.byref(plan), ratings, sides, None) == 0
    return np.array([r.value for r in ratings]), np.array([s.value for s in sides])


def tournament(seed, bots, scenarios, pairs, sides):
    """Pairs of bots of random strength: (scenario, a, b, tally as a sees it, [as Union][as Confederate])."""
    random = np.random.default_rng(seed)
    strength = random.normal(0, 1, bots)
    pairings = []
    for s in range(scenarios):
        for a in range(bots):
            for b in range(a + 1, bots):
                tally = np.zeros(9, int)
                first = stats.logistic.cdf(strength[a] - strength[b] + sides[s])
                second = stats.logistic.cdf(strength[a] - strength[b] - sides[s])
                for _ in range(pairs):
                    points = [1 if random.random() < 0.1 else 2 * (random.random() < p) for p in (first, second)]
                    tally[3 * points[0] + points[1]] += 1
                pairings.append((s, a, b, tally.tolist()))
    return pairings


def test_ratings_are_those_of_choix_where_no_side_is_favoured(library):
    pairings = tournament(1, bots=6, scenarios=1, pairs=60, sides=[0.0])
    # Each tally with its mirror of sides: the side term is then 0, and choix, which knows none, sees the same model.
    both = [(s, a, b, (np.array(t) + np.array(t).reshape(3, 3).T.ravel()).tolist()) for s, a, b, t in pairings]
    comparisons = []
    for _, a, b, tally in both:
        for cell, count in enumerate(tally):
            for halves in divmod(cell, 3):  # a draw is a half win for each: a comparison is half a win
                comparisons += [(a, b)] * (count * halves) + [(b, a)] * (count * (2 - halves))
    expected = choix.opt_pairwise(6, comparisons, alpha=0.0) * ELO
    ratings, sides = fit(library, both, 6, 1)
    assert abs(sides[0]) < 1e-6
    np.testing.assert_allclose(ratings, expected - expected[0], atol=0.05)


def test_ratings_and_side_terms_are_the_greatest_likelihood_by_scipy(library):
    bots, scenarios = 5, 2
    pairings = tournament(2, bots, scenarios, pairs=40, sides=[0.5, -0.3])

    def fall(unknowns):
        rating, side = np.concatenate([[0], unknowns[: bots - 1]]), unknowns[bots - 1 :]
        total = 0.0
        for s, a, b, tally in pairings:
            for cell, count in enumerate(tally):
                as_union, as_confederate = divmod(cell, 3)
                for points, gap in ((as_union / 2, rating[a] - rating[b] + side[s]),
                                    (1 - as_confederate / 2, rating[b] - rating[a] + side[s])):
                    total -= count * (points * -np.logaddexp(0, -gap) + (1 - points) * -np.logaddexp(0, gap))
        return total

    best = optimize.minimize(fall, np.zeros(bots - 1 + scenarios), method="BFGS", options={"gtol": 1e-5}).x * ELO
    ratings, sides = fit(library, pairings, bots, scenarios)
    np.testing.assert_allclose(ratings[1:], best[: bots - 1], atol=0.01)
    np.testing.assert_allclose(sides, best[bots - 1 :], atol=0.01)


def log_likelihood(counts, mean):
    """The greatest log-likelihood of the five counts under a mean score, by a general constrained optimiser."""
    scores, counts = np.arange(5) / 4, np.array(counts, float)
    start = stats.binom.pmf(range(5), 4, mean)  # has that mean, and is inside the bounds
    result = optimize.minimize(
        lambda p: -np.sum(counts * np.log(np.maximum(p, 1e-12))),
        start,
        method="SLSQP",
        bounds=[(0, 1)] * 5,
        constraints=[{"type": "eq", "fun": lambda p: p.sum() - 1}, {"type": "eq", "fun": lambda p: p @ scores - mean}],
        options={"ftol": 1e-12, "maxiter": 500},
    )
    return -result.fun


def tally_of(counts):
    """A tally with those pairs by points."""
    cells = [0] * 9
    for cell, count in zip((0, 1, 2, 5, 8), counts):
        cells[cell] = count
    return Tally((ctypes.c_int64 * 9)(*cells))


@pytest.mark.parametrize("counts", [[3, 9, 36, 15, 15], [0, 0, 40, 3, 0], [0, 2, 5, 0, 0], [30, 0, 1, 0, 0]])
def test_the_sprt_s_ratio_is_that_of_the_best_pentanomials_by_scipy(library, counts):
    look = library.sprt_look(ctypes.byref(Sprt(-10, 70, 0.05, 0.05, 0)), ctypes.byref(tally_of(counts)))
    means = [1 / (1 + 10 ** (-elo / 400)) for elo in (-10, 70)]
    expected = log_likelihood(counts, means[1]) - log_likelihood(counts, means[0])
    assert look.ratio == pytest.approx(expected, abs=2e-3)


@pytest.mark.parametrize("counts", [[3, 9, 36, 15, 15], [0, 0, 6, 3, 1], [0, 1, 5, 20, 80]])
def test_an_interval_ends_where_the_likelihood_has_fallen_by_half_of_t_squared(library, counts):
    strength = Strength()
    library.strength_of(ctypes.byref(tally_of(counts)), ctypes.byref(strength))
    pairs, mean = sum(counts), np.arange(5) @ counts / 4 / sum(counts)
    most = sum(c * math.log(c / pairs) for c in counts if c)
    fall = stats.t.ppf(0.975, pairs - 1) ** 2 / 2
    for end in (strength.score.low, strength.score.high):
        assert most - log_likelihood(counts, end) == pytest.approx(fall, abs=5e-3)
    assert strength.score.value == pytest.approx(mean)
