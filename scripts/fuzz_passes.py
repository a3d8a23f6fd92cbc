#!/usr/bin/env python3
"""Looks for IR that verifies and kills a pass.

    scripts/fuzz_passes.py [--seconds=N] [--seed=N] [--only=WORD] [--save=FOLDER]
                           [--forms] [--mutants] [CONV_OPT]

Input: the .mlir files of test/, split at "// -----", and what the pipelines make
of them. First each pass and pipeline of the project runs alone on each of them,
then on mutated copies until the time is over: a number becomes another one,
everywhere or once, a type another type, a line goes. What does not verify is
refused by the parser, which costs little.

Output: a line for each way to die that was not seen before, and the input that
shows it in FOLDER. A way is a pass and the functions at the top of the stack.
The exit status is 1 if any was found. Deaths within the parser are not ours
(docs/Upstream.md); they are listed too, as those of the pass "parse".
"""

import argparse
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time

from schedule_keys import read_keys, some_values

ROOT = pathlib.Path(__file__).resolve().parents[1]
NUMBERS = [0, 1, -1, 2, 3, 7, 15, 16, 17, 255, 1 << 20, 1 << 31, 1 << 40, (1 << 63) - 1, -(1 << 63)]
TYPES = "f16 bf16 f32 f64 tf32 f8E4M3FN f8E5M2 i1 i8 i32 i64 index".split()
SPLIT = "\n// -----\n"
# A call is given up after so many seconds: slow is not dead.
PATIENCE = 20


def registered_passes():
    """Name and pipeline of each pass and pipeline of the project."""
    found = {}
    for path in (ROOT / "include/conv").rglob("*.td"):
        for name, anchor in re.findall(
            r'Pass<"([^"]+)"(?:,\s*"([^"]+)")?>', path.read_text()
        ):
            inner = {
                "::mlir::func::FuncOp": "func.func(%s)",
                "::mlir::gpu::GPUFuncOp": "gpu.module(gpu.func(%s))",
                "::mlir::gpu::GPUModuleOp": "gpu.module(%s)",
            }.get(anchor, "%s") % name
            found[name] = f"--pass-pipeline=builtin.module({inner})"
            if name == "conv-select-schedule":
                for chip in ("sm_80", "sm_90a"):
                    found[f"{name}={chip}"] = (
                        f"--pass-pipeline=builtin.module({name}{{chip={chip}}})"
                    )
    for form in "matrices tiles blocks kernels threads nvvm".split():
        for chip in ("sm_80", "sm_90a"):
            found[f"conv-to-{form}={chip}"] = f"--conv-to-{form}=chip={chip}"
    for name in ("convert-conv-to-im2col", "conv-lower-to-nvvm"):
        found[name] = f"--{name}"
    return found


class Runner:
    """Runs a pass on modules, and finds the one that kills it."""

    def __init__(self, tool, folder):
        self.tool = tool
        self.folder = folder
        self.calls = 0

    def run(self, flags, modules):
        path = os.path.join(self.folder, "input.mlir")
        with open(path, "w") as file:
            file.write(SPLIT.join(modules))
        self.calls += 1
        try:
            return subprocess.run(
                [self.tool, path, "--split-input-file", "--mlir-disable-threading", *flags],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            return None

    def dies(self, flags, modules):
        result = self.run(flags, modules)
        return result if result is not None and is_death(result) else None

    def culprits(self, flags, modules):
        """Each module that dies alone, with how it died."""
        result = self.dies(flags, modules)
        if not result:
            return
        if len(modules) == 1:
            yield modules[0], result
            return
        half = len(modules) // 2
        yield from self.culprits(flags, modules[:half])
        yield from self.culprits(flags, modules[half:])


def is_death(result):
    text = result.stderr
    marks = (b"Stack dump", b"AddressSanitizer", b"runtime error:", b"LLVM ERROR", b"Assertion")
    return result.returncode < 0 or any(mark in text for mark in marks)


def signature(result):
    """The functions at the top of the stack, without those that report it."""
    text = result.stderr.decode(errors="replace")
    frames = re.findall(r"^\s*#\d+ 0x[0-9a-f]+ (?:in )?(.*)$", text, re.MULTILINE)
    names = []
    for frame in frames:
        name = re.sub(r"\s*\(?/\S+\)?.*$", "", frame).strip() or "?"
        if not re.search(r"sys::|SignalHandler|__restore_rt|libc|^abort|^raise|__asan|^\?", name):
            names.append(re.sub(r"\(.*", "", name))
    if names:
        return " < ".join(names[:3])
    lines = [line for line in text.splitlines() if re.search("ERROR|Assertion|runtime error", line)]
    return lines[0][:120] if lines else f"status {result.returncode}"


def corpus():
    """The modules of all tests."""
    modules = []
    for path in sorted((ROOT / "test").rglob("*.mlir")):
        if "Upstream" in path.parts:
            continue
        for part in re.split(r"^// -----.*$", path.read_text(), flags=re.MULTILINE):
            lines = [line for line in part.splitlines() if not line.lstrip().startswith("//")]
            if any(line.strip() for line in lines):
                modules.append("\n".join(lines) + "\n")
    return modules


def intermediate(runner, modules, rng, count=60):
    """What the pipelines make of some of the modules, form by form."""
    made = []
    scheduled = [m for m in modules if re.search(r"conv\.(forward|dgrad|wgrad) ", m)]
    for module in rng.sample(scheduled, min(count, len(scheduled))):
        for form in "matrices tiles blocks kernels threads".split():
            result = runner.run([f"--conv-to-{form}=chip=sm_90a"], [module])
            if result and result.returncode == 0 and len(result.stdout) < 60_000:
                made.append(result.stdout.decode())
    return made


def mutate_number(text, rng):
    tokens = list(re.finditer(r"(?<![\w#%@.])-?\d+(?=[\]x,\s)>:])|(?<=x)\d+(?=x)", text))
    if not tokens:
        return text
    token = rng.choice(tokens)
    old = int(token.group())
    new = rng.choice(NUMBERS + [old + 1, old - 1, 2 * old])
    if rng.random() < 0.35:
        return text[: token.start()] + str(new) + text[token.end() :]
    return re.sub(r"(?<![\w#%%@.-])%d(?=[\]x,\s)>:])|(?<=x)%d(?=x)" % (old, old), str(new), text)


def mutate_type(text, rng):
    present = [t for t in TYPES if re.search(rf"(?<![a-zA-Z]){t}\b", text)]
    if not present:
        return text
    old, new = rng.choice(present), rng.choice(TYPES)
    return re.sub(rf"(?<![a-zA-Z]){old}\b", new, text)


def mutate_line(text, rng):
    lines = text.splitlines()
    at = rng.randrange(len(lines))
    if rng.random() < 0.5:
        del lines[at]
    else:
        lines.insert(rng.randrange(len(lines)), lines[at])
    return "\n".join(lines) + "\n"


def mutate_key(text, rng):
    """Drops a key of an attribute, or sets a flag of a schedule."""
    keys = list(re.finditer(r", \w+ = (\[[^\]]*\]|\w+)| [\w-]+=\w+", text))
    if keys and rng.random() < 0.5:
        key = rng.choice(keys)
        return text[: key.start()] + text[key.end() :]
    key = rng.choice([key for key in read_keys() if key.presence != "Required"])
    extra = f"{key.name}={rng.choice(some_values(key))}"
    text = re.sub(rf" {key.name}=\w+", "", text)
    return re.sub(r"(mma ?= ?(?:mma_sync|wgmma|fma))", rf"\1 {extra}", text)


def mutate_word(text, rng):
    swaps = ["mma_sync wgmma fma wmma", "cp_async tma sync", "implicit_gemm im2col loops", "nhwc nchw"]
    words = rng.choice(swaps).split()
    old, new = rng.sample(words, 2)
    return re.sub(rf"\b{old}\b", new, text)


def mutate(text, rng):
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        kind = rng.choices(
            [mutate_number, mutate_type, mutate_line, mutate_key, mutate_word], [8, 3, 2, 2, 2]
        )[0]
        text = kind(text, rng)
    return text


class Findings:
    def __init__(self, folder):
        self.folder = folder
        self.seen = {}

    def add(self, name, module, result):
        where = signature(result)
        if (name, where) in self.seen:
            return
        self.seen[name, where] = module
        print(f"{name}: {where}", flush=True)
        if self.folder:
            path = os.path.join(self.folder, f"{len(self.seen):03}-{name}.mlir")
            pathlib.Path(path).write_text(f"// {name}: {where}\n{module}")


def search(runner, findings, passes, modules):
    """Runs every pass on the modules together."""
    parsed = []
    for start in range(0, len(modules), 16):
        chunk = modules[start : start + 16]
        dead = [module for module, _ in report(runner, findings, "parse", [], chunk)]
        parsed.extend(module for module in chunk if module not in dead)
    for name, flags in passes:
        list(report(runner, findings, name, [flags], parsed))


def report(runner, findings, name, flags, modules):
    for module, result in runner.culprits(flags, modules):
        findings.add(name, module, result)
        yield module, result


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tool", nargs="?", default=str(ROOT / "build/release/bin/conv-opt"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--only", default="", help="passes with this in their name")
    parser.add_argument("--save", help="a folder for the inputs that were found")
    parser.add_argument("--forms", action="store_true", help="begin with what pipelines make of some, too")
    parser.add_argument("--mutants", action="store_true", help="only what is changed")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    if arguments.save:
        os.makedirs(arguments.save, exist_ok=True)
    rng = random.Random(arguments.seed)
    passes = [(n, f) for n, f in registered_passes().items() if arguments.only in n]
    findings = Findings(arguments.save)
    with tempfile.TemporaryDirectory() as folder:
        runner = Runner(arguments.tool, folder)
        modules = corpus()
        if arguments.forms:
            modules = intermediate(runner, modules, rng) * 2 + modules
        rng.shuffle(modules)
        end = time.monotonic() + arguments.seconds
        for start in range(0, len(modules), 24):
            if time.monotonic() < end and not arguments.mutants:
                search(runner, findings, passes, modules[start : start + 24])
        while time.monotonic() < end:
            mutants = [mutate(rng.choice(modules), rng) for _ in range(24)]
            search(runner, findings, rng.sample(passes, min(8, len(passes))), mutants)
        print(f"{runner.calls} calls, {len(findings.seen)} ways to die")
    return 1 if findings.seen else 0


if __name__ == "__main__":
    sys.exit(main())
