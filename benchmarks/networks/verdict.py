"""What losses say about two sides that trained alike.

Our two runs must have the same bits, losses and weights. Ours may differ from
PyTorch's by as much as PyTorch's runs differ from each other; twice as much, as there
are few of them.
"""

import itertools
import math

ALLOWANCE = 2


def apart(losses, others):
    """The largest difference of two runs; NaN where there is one."""
    differences = [abs(a - b) for a, b in zip(losses, others)]
    return max(differences, key=lambda value: (math.isnan(value), value))


def verdict(stock, ours):
    """What the report has: of PyTorch's losses, one list a run, and of our two runs,
    each (losses, weights)."""
    (first, weights), (second, again) = ours
    bound = max(apart(a, b) for a, b in itertools.combinations(stock, 2))
    difference = apart(first, stock[0])
    return {
        "steps": len(first),
        "same_bits": first == second and all(map(_equal, weights, again)),
        "difference": difference,
        "difference_of_pytorch": bound,
        "agrees": difference <= ALLOWANCE * bound,
        "last": first[-1],
        "last_of_pytorch": [losses[-1] for losses in stock],
    }


def _equal(a, b):
    return bool((a == b).all())
