"""Whether a network trains alike with PyTorch's kernels and with ours.

The same steps are trained twice with our kernels, and several times with PyTorch's:
the images of the batch in another order each time, so that only rounding differs.
"""

from .contest import PYTORCH, Sides
from .verdict import verdict

STEPS = 50
SEEDS = 3


def compare_losses(network, policy, steps=STEPS, seeds=SEEDS):
    """What verdict() says of a network: a steps.Steps that has not run yet."""
    sides = Sides(network.subject.device)
    network.switch_dropout_off()
    try:
        stock = [_train(network, sides, PYTORCH, steps, seed) for seed in range(seeds)]
        ours = [_train(network, sides, policy, steps) for _ in range(2)]
    finally:
        sides.close()
    return verdict([losses for losses, _ in stock], ours)


def _train(network, sides, side, count, seed=0):
    """The losses and the last weights of new training; seed 0: the images as they
    are."""
    network.restart(seed)
    sides.switch(side)
    losses = [network.step(side != PYTORCH) for _ in range(count)]
    return [loss.item() for loss in losses], network.weights()
