"""One row: every plan is compared with cuDNN's result, then all are timed.

What needs a GPU is behind the backend (torch_backend.py, or a fake in tests):

    backend.open(problem) -> row     inputs in `row.sets` copies; Refused where
                                     cuDNN cannot be compared
    row.cudnn()                      a launch: a function of the number of a set,
                                     which returns a result
    row.plan(path)                   the same for a plan, and what it is
    row.check(launch, reference)     relative Frobenius error of a launch of set 0
                                     into poisoned memory, and the result's bits
    row.same(launch, bits)           whether set 0 gives the same bits again
    row.estimate_us(launch)          about how long it takes
    backend.batch, backend.time      see timing.measure()
"""

import time

import conv_mlir

from .timing import measure


class Refused(Exception):
    """A sentence: why something cannot be done, which is no failure."""


CUDNN = "cuDNN"


def measure_row(backend, problem, plans, settings):
    """The result of a row, for JSON.

    problem: a conv_mlir.Problem. plans: [{"schedule", "path"}]. The result has
    {"cudnn", "plans", "rotation", "timed"}: cudnn and each plan a summary of
    times, or an error; timed: begin and end on the clock of the wall.
    """
    row = backend.open(problem)
    result = {"rotation": row.rotation, "plans": []}
    launches = {CUDNN: row.cudnn()}
    reference = launches[CUDNN](0)
    bits = {}
    tolerance = allowed_error(problem)
    for index, plan in enumerate(plans):
        document, launch, kept = check_plan(row, plan, reference, tolerance)
        result["plans"].append(document)
        if launch:
            launches[index], bits[index] = launch, kept
    del reference
    estimates = {name: row.estimate_us(launch) for name, launch in launches.items()}
    begin = time.time()
    times = measure(backend, launches, estimates, row.sets, settings)
    result["timed"] = [begin, time.time()]
    result["cudnn"] = times.pop(CUDNN)
    for index, summary in times.items():
        document = result["plans"][index]
        if row.same(launches[index], bits[index]):
            document.update(summary)
        else:
            document["error"] = "two launches on the same inputs differ"
    return result


def allowed_error(problem):
    """Of ours against cuDNN's, which have errors themselves. Those of its sums of
    tf32 are 1e-3 where they have millions of terms, ours 6e-5 against the
    definition; those of f32 grow with the terms in both (1.5e-5 between them for
    wgrads of 1e5)."""
    return problem.tolerance * (2 if problem.type in ("tf32", "f32") else 1)


def check_plan(row, plan, reference, tolerance):
    """The plan's part of the result, its launch (None where it is not to be
    timed) and the bits of its result."""
    document = {"requested": plan["schedule"]}
    try:
        launch, description = row.plan(plan["path"])
        document.update(description)
        error, bits = row.check(launch, reference)
    except conv_mlir.Error as failed:
        return {**document, "error": str(failed)}, None, None
    document["relative_error"] = error
    if not error <= tolerance:  # NaN is wrong, too.
        document["error"] = (
            f"wrong result: relative error {error:.2g} against cuDNN, at most "
            f"{tolerance:g} is allowed"
        )
        return document, None, None
    return document, launch, bits
