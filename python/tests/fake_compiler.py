"""A compiler for fake_worker.py: writes the plan that the environment variable
FAKE_PLANS, a JSON object, has for the number of output channels and the schedule,
such as {"64": {"us": 50}, "64 stages=3": {"us": 40}}; {"status": 2} refuses,
{"signal": 11} dies."""

import argparse
import json
import os
import sys

parser = argparse.ArgumentParser()
parser.add_argument("problem")
parser.add_argument("--output")
parser.add_argument("--target")
parser.add_argument("--schedule", default="")
parser.add_argument("--no-tuning", action="store_true")
parser.add_argument("--refuse-flaws", action="store_true")
arguments = parser.parse_args()

channels = dict(w.split("=") for w in arguments.problem.split()[1:])["k"]
plans = json.loads(os.environ["FAKE_PLANS"])
plan = plans[f"{channels} {arguments.schedule}".strip()]
if "signal" in plan:
    os.kill(os.getpid(), plan["signal"])
if "status" in plan:
    print("conv_mlir: error: dgrad is not supported", file=sys.stderr)
    sys.exit(plan["status"])
with open(arguments.output, "w") as file:
    json.dump({"schedule": arguments.schedule or "chosen", **plan}, file)
