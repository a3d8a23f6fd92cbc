"""A convolution and its gradients by their definition, in f64 with NumPy.

Nothing of the text is read: the gradients are the transposes of the sum that is
the convolution."""

import numpy

from .cases import spread


def spread_and_pad(x, case):
    """x with zeros between and around its positions."""
    batches, features, *extents = x.shape
    shape = [
        spread(extents[d], case.lhs_dilation[d]) + sum(case.padding[d]) for d in range(2)
    ]
    padded = numpy.zeros((batches, features, *shape))
    padded[positions(x.shape, case)] = x
    return padded


def positions(shape, case):
    """Where the elements of x lie in the padded one."""
    slices = []
    for d in range(2):
        low = case.padding[d][0]
        count = spread(shape[2 + d], case.lhs_dilation[d])
        slices.append(slice(low, low + count, case.lhs_dilation[d]))
    return (slice(None), slice(None), *slices)


def windows(case):
    """For each tap, its place in the filter and what it reads of the padded x."""
    _, _, rows, columns = case.out
    for r in range(case.rhs[2]):
        for s in range(case.rhs[3]):
            top, left = r * case.rhs_dilation[0], s * case.rhs_dilation[1]
            yield (r, s), (
                slice(None),
                slice(None),
                slice(top, top + (rows - 1) * case.strides[0] + 1, case.strides[0]),
                slice(left, left + (columns - 1) * case.strides[1] + 1, case.strides[1]),
            )


def groups(case):
    """For each group, its images, input channels and output channels."""
    count = case.feature_groups * case.batch_groups
    outputs = case.rhs[0] // count
    for g in range(count):
        b, f = (g, 0) if case.batch_groups > 1 else (0, g)
        images = case.lhs[0] // case.batch_groups
        yield (
            slice(b * images, (b + 1) * images),
            slice(f * case.rhs[1], (f + 1) * case.rhs[1]),
            slice(g * outputs, (g + 1) * outputs),
        )


def compute(case, x, w, dy):
    """y, dx and dw, all in canonical order."""
    y, dw = numpy.zeros(case.out), numpy.zeros(case.rhs)
    padded = spread_and_pad(x, case)
    dpadded = numpy.zeros(padded.shape)
    if 0 not in case.out:
        for images, inputs, outputs in groups(case):
            source, dsource = padded[images, inputs], dpadded[images, inputs]
            for (r, s), window in windows(case):
                tap = w[outputs, :, r, s]
                y[:, outputs] += numpy.einsum("nchw,kc->nkhw", source[window], tap)
                dsource[window] += numpy.einsum("nkhw,kc->nchw", dy[:, outputs], tap)
                dw[outputs, :, r, s] = numpy.einsum(
                    "nchw,nkhw->kc", source[window], dy[:, outputs]
                )
    return y, dpadded[positions(x.shape, case)], dw
