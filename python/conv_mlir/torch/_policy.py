"""Which problems our kernels take.

always    everything that they can compute
auto      what was measured to be at least as fast as cuDNN (docs/PyTorch.md has the
          rule); on the emulator, where no speed is compared, everything
measure   PyTorch's kernel, ours and our best of the other engine are timed once for
          each shape; the fastest stays
tune      the same with the dozen schedules of conv-run --tune
"""

from typing import NamedTuple, Optional

POLICIES = ("auto", "measure", "tune", "always")
# Those that time.
TIMED = ("measure", "tune")
# What a call of the override in Python costs the host beside PyTorch's own. A shorter
# kernel is worth nothing unless a CUDA graph replays it.
SHORT_US = 20
# Channels below which layers were measured to be slower than cuDNN's: dense ones of
# some kinds, and filters of depthwise ones.
NARROW = 32
NARROW_DEPTHWISE = 64


class Verdict(NamedTuple):
    refusal: Optional[str] = None  # Why PyTorch's kernel runs.
    only_in_graphs: bool = False  # Ours runs where a stream captures, only.


def judge(policy, device, convolution, line, is_cheap=False):
    """The Verdict on a problem before anything is compiled. is_cheap: our call costs
    the host less than PyTorch's."""
    if policy == "always" or device.is_emulator:
        return Verdict()
    refusal = None
    if policy == "auto":
        refusal = unmeasured(device.capability, convolution, line.split()[0])
    if refusal:
        return Verdict(refusal)
    return Verdict(only_in_graphs=not is_cheap and device.bound_us(line) < SHORT_US)


def unmeasured(capability, convolution, op):
    """Why a problem is not among those that were measured to be at least as fast as
    cuDNN's; None where it is."""
    if capability != (9, 0):
        number = ".".join(map(str, capability))
        return f"auto: measured on compute capability 9.0 only, this device has {number}"
    if convolution.type not in ("f16", "bf16", "tf32"):
        return f"auto: cuDNN may be faster in {convolution.type}"
    if convolution.depthwise:
        return _unmeasured_depthwise(convolution, op)
    if convolution.type == "tf32":
        return _unmeasured_tf32(convolution, op)
    return _unmeasured_channels(convolution) or _unmeasured_narrow(convolution, op)


def _unmeasured_depthwise(convolution, op):
    strided = max(convolution.stride) > 1
    if not convolution.channels_last or op == "dgrad":
        return None
    if convolution.type == "tf32":
        return "auto: cuDNN may be faster in tf32, depthwise, channels last"
    if strided and op == "forward":
        return "auto: cuDNN may be faster for depthwise layers with a stride"
    if op == "wgrad" and convolution.c < NARROW_DEPTHWISE:
        return f"auto: cuDNN may be faster for depthwise filters of {convolution.c} channels"
    return None


def _unmeasured_tf32(convolution, op):
    if convolution.channels_last and op == "forward" and max(convolution.stride) > 1:
        return "auto: cuDNN may be faster in tf32 with a stride"
    return _unmeasured_channels(convolution)


def _unmeasured_channels(convolution):
    """Channels that TMA cannot copy are sometimes slower, those of images not."""
    channels = convolution.c // convolution.groups
    filters = convolution.k // convolution.groups
    few = convolution.groups == 1 and channels <= 4
    if filters % 8 or (channels % 8 and not few):
        return f"auto: cuDNN may be faster for {channels} channels and {filters} filters"
    return None


def _unmeasured_narrow(convolution, op):
    """Less than a tile is wide: where little is multiplied, or little of x is used."""
    if convolution.groups > 1:
        return None
    is_point = all(taps == 1 for taps in convolution.filter)
    if not convolution.channels_last and is_point:
        results = {"forward": convolution.k, "dgrad": convolution.c}.get(op, NARROW)
        if results < NARROW:
            return f"auto: cuDNN may be faster for {results} channels of a 1x1 result"
    if convolution.channels_last and not is_point and max(convolution.stride) > 1:
        if op != "dgrad" and 4 < convolution.c < NARROW:
            return f"auto: cuDNN may be faster for {convolution.c} channels with a stride"
    return None
