"""What the device does in a step: its kernels, and those of convolutions among them.

Input: steps of one side that have run before, so that nothing is compiled or timed.
Output: microseconds of a step. A step that takes longer than its kernels waits for
the processor. The profiler slows the processor down: the time of a step is not its
business.
"""

import torch
from torch.profiler import ProfilerActivity, profile

# Operators whose kernels are those of convolutions: copies of operands, sums for the
# bias and fused chains are among them.
CONVOLUTIONS = ("aten::convolution", "conv_mlir")
STEPS = 3
# Kernels that are listed, those that take longest.
LISTED = 12


def profile_steps(run, count=STEPS):
    """Of `count` calls of run(), per call."""
    torch.cuda.synchronize()
    activities = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
    with profile(activities=activities) as profiler:
        for _ in range(count):
            run()
        torch.cuda.synchronize()
    return summarise(profiler.events(), count)


def summarise(events, count):
    """Of the events of torch.profiler:

    kernels_us        all kernels and copies of memory
    launches          their number
    convolutions_us   those of convolutions; None where no operator launches one, as
                      in a CUDA graph
    longest           [name, launches, microseconds] of kernels that take longest
    """
    kernels = [event for event in events if _is_kernel(event)]
    convolutions = sum(e.device_time_total for e in events if _is_convolution(e))
    names = {}
    for event in kernels:
        of_name = names.setdefault(event.name, [0, 0.0])
        of_name[0] += 1
        of_name[1] += event.time_range.elapsed_us()
    longest = sorted(names.items(), key=lambda item: -item[1][1])[:LISTED]
    return {
        "kernels_us": sum(us for _, us in names.values()) / count,
        "launches": len(kernels) / count,
        "convolutions_us": convolutions / count or None,
        "longest": [[name, n / count, us / count] for name, (n, us) in longest],
    }


def _is_kernel(event):
    is_on_device = event.device_type == torch.autograd.DeviceType.CUDA
    return is_on_device and not event.is_user_annotation


def _is_convolution(event):
    """Whether it is an operator of a convolution that no other one has called."""
    if not _names_convolution(event):
        return False
    parent = event.cpu_parent
    while parent is not None and not _names_convolution(parent):
        parent = parent.cpu_parent
    return parent is None


def _names_convolution(event):
    is_on_host = event.device_type == torch.autograd.DeviceType.CPU
    return is_on_host and event.name.startswith(CONVOLUTIONS)
