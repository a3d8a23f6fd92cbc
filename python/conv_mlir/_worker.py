"""A process that compiles problem lines, one after the other, until its input ends,
and keeps the plans on disk (cache.py).

Input, by lines of JSON: the arguments of compile(). Output, for each: a line of
JSON, {"bytes": N} with the N bytes of the plan behind it, or {"error": TEXT,
"status": N}. LLVM ends the process where it finds a fault of its own: that is why
it is not the user's.
"""

import json
import os
import sys

from ._library import Error
from .cache import Cache


def _answer(cache, request):
    try:
        data = cache.plan(**request).to_bytes()
    except Error as error:
        return {"error": str(error), "status": error.status}, b""
    return {"bytes": len(data)}, data


def main():
    # Whatever else writes to standard output must not be taken for an answer.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    cache = Cache(max_plans=0)
    for line in sys.stdin.buffer:
        header, data = _answer(cache, json.loads(line))
        answers.write(json.dumps(header).encode() + b"\n" + data)
        answers.flush()
