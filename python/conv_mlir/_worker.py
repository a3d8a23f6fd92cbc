"""A process that compiles problem lines and modules, one after the other, until its
input ends, and keeps the plans on disk (cache.py).

Input, by lines of JSON: the arguments of compile(), those of compile_module() with
"module" for the text, or {"candidates": COUNT, "problem", "target",
"multiprocessors"}, those of candidate_schedules(). Output, for each: a line of JSON,
{"bytes": N} with N bytes behind it, the plan or lines of schedules, or {"error": TEXT,
"status": N}. LLVM ends the process where it finds a fault of its own: that is why it
is not the user's.
"""

import json
import os
import sys

from ._library import Error
from ._tuning import candidate_schedules
from .cache import Cache


def _answer(cache, request):
    try:
        data = _work(cache, **request)
    except Error as error:
        return {"error": str(error), "status": error.status}, b""
    return {"bytes": len(data)}, data


def _work(cache, candidates=None, module=None, **request):
    if module is not None:
        return cache.module(module, **request).to_bytes()
    if candidates is None:
        return cache.plan(**request).to_bytes()
    return "\n".join(candidate_schedules(count=candidates, **request)).encode()


def main():
    os.nice(5)  # The user's program goes on meanwhile: it comes first.
    # Whatever else writes to standard output must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    cache = Cache(max_plans=0)
    for line in sys.stdin.buffer:
        header, data = _answer(cache, json.loads(line))
        answers.write(json.dumps(header).encode() + b"\n" + data)
        answers.flush()
