"""Replaces text in the header of a plan: rewrite_plan.py IN OLD NEW OUT."""

import sys

import plan_file

source, old, new, target = sys.argv[1:]
header, data = plan_file.read_parts(source)
assert old.encode() in header
plan_file.write_parts(target, header.replace(old.encode(), new.encode()), data)
