"""The plan cache through the package."""

import json
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
import warnings

import conv_mlir
from conv_mlir._measurements import Measurement, measurements_of
import pytest

PYTHON = pathlib.Path(conv_mlir.__file__).resolve().parents[1]
LINE = "forward c=16 h=5 w=4 k=8 r=1 s=1 type=bf16"
LINES = [f"forward c=16 h=5 w={w} k=8 r=1 s=1 type=bf16" for w in (2, 3, 4, 5)]
OPTIONS = dict(target="sm_80", emulator_only=True, tuned=False)

# What the processes of tests run: plans of the lines, and what came of it.
WORKER = f"""
import json, sys
import conv_mlir
cache = conv_mlir.Cache(sys.argv[1])
plans = [cache.plan(line, **{OPTIONS!r}) for line in sys.argv[2:]]
stats = cache.stats()
print(json.dumps([stats.misses, stats.hits, [plan.problem for plan in plans]]))
"""


def start(code, *arguments, **options):
    environment = {**os.environ, "PYTHONPATH": str(PYTHON)}
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def finish(process):
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out, err


def command(*arguments, **environment):
    return subprocess.run(
        [sys.executable, "-m", "conv_mlir", "cache", *map(str, arguments)],
        cwd=PYTHON,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )


def files_of(folder):
    return sorted(folder.glob("plans/*.conv-entry"))


@pytest.fixture
def cache(tmp_path):
    return conv_mlir.Cache(tmp_path)


def test_memory_then_disk_then_compiler(cache, tmp_path):
    plan = cache.plan(LINE, **OPTIONS)
    assert cache.plan(LINE, **OPTIONS) is plan
    other = conv_mlir.Cache(tmp_path)
    assert other.plan(LINE, **OPTIONS).to_bytes() == plan.to_bytes()
    first, second = cache.stats(), other.stats()
    assert (first.misses, first.hits, first.memory_hits, first.plans) == (1, 0, 1, 1)
    assert (second.misses, second.hits, second.memory_hits) == (0, 1, 0)


def test_every_option_is_another_plan(cache):
    variants = [
        {},
        {"target": "sm_90"},
        {"schedule": "stages=3"},
        {"tuned": True},
        {"tuned": True, "device": "NVIDIA H200"},
        {"refuse_flaws": True},
        {"emulator_only": False, "ptxas": ""},
    ]
    for variant in variants:
        cache.plan(LINE, **{**OPTIONS, **variant})
    assert cache.stats().misses == len(variants)
    cache.forget()
    for variant in variants:
        cache.plan(LINE, **{**OPTIONS, **variant})
    assert cache.stats().hits == len(variants)


def test_modules(cache):
    text = """func.func @f(%x: tensor<1x4x5x16xbf16>, %w: tensor<8x1x1x16xbf16>)
        -> tensor<1x4x5x8xbf16> {
      %y = tensor.empty() : tensor<1x4x5x8xbf16>
      %r = conv.forward ins(%x, %w : tensor<1x4x5x16xbf16>, tensor<8x1x1x16xbf16>)
             outs(%y : tensor<1x4x5x8xbf16>) -> tensor<1x4x5x8xbf16>
      return %r : tensor<1x4x5x8xbf16>
    }"""
    plan = cache.module(text, name="f.mlir", **OPTIONS)
    assert plan.problem == "@f of f.mlir: 1 convolution"
    assert cache.module(text, name="f.mlir", **OPTIONS) is plan
    assert cache.module(text, name="g.mlir", **OPTIONS) is not plan
    cache.forget()
    assert cache.module(text, name="f.mlir", **OPTIONS).to_bytes() == plan.to_bytes()
    assert (cache.stats().misses, cache.stats().hits) == (2, 1)


def test_find_compiles_no_module(cache, tmp_path):
    shape = "tensor<4xf32>"
    text = f"""func.func @f(%x: {shape}) -> {shape} {{
      %y = tensor.empty() : {shape}
      %r = linalg.exp ins(%x : {shape}) outs(%y : {shape}) -> {shape}
      return %r : {shape}
    }}"""
    assert cache.find_module(text, **OPTIONS) is None
    assert cache.stats().misses == 0
    conv_mlir.Cache(tmp_path).module(text, **OPTIONS)
    plan = cache.find_module(text, **OPTIONS)
    assert plan.target == "sm_80"
    assert cache.find_module(text, **OPTIONS) is plan
    assert cache.find_module(text, name="f.mlir", **OPTIONS) is None


def test_find_compiles_nothing(cache, tmp_path):
    assert cache.find(LINE, **OPTIONS) is None
    assert cache.stats().misses == 0
    conv_mlir.Cache(tmp_path).plan(LINE, **OPTIONS)
    plan = cache.find(LINE, **OPTIONS)
    assert plan.target == "sm_80"
    assert cache.find(LINE, **OPTIONS) is plan


def test_plans_that_were_made_elsewhere(cache):
    made = conv_mlir.compile(LINE, **OPTIONS)
    assert cache.remember(LINE, made, **OPTIONS) is made
    assert cache.plan(LINE, **OPTIONS) is made
    assert cache.entries() == []


def test_in_memory_only():
    cache = conv_mlir.Cache("")
    assert cache.find(LINE, **OPTIONS) is None
    plan = cache.plan(LINE, **OPTIONS)
    assert cache.find(LINE, **OPTIONS) is plan
    assert cache.entries() == [] and cache.clear() == (0, 0)
    assert cache.stats().misses == 1 and cache.stats().plans == 0


def test_memory_is_bounded(tmp_path):
    cache = conv_mlir.Cache(tmp_path, max_plans=2)
    first, second, third = (cache.plan(line, **OPTIONS) for line in LINES[:3])
    assert cache.stats().plans == 2
    assert cache.find(LINES[1], **OPTIONS) is second
    assert cache.plan(LINES[0], **OPTIONS) is not first
    assert cache.find(LINES[1], **OPTIONS) is second
    # What a captured graph may launch stays.
    second._programs[0] = object()
    cache.plan(LINES[2], **OPTIONS)
    cache.plan(LINES[3], **OPTIONS)
    assert cache.stats().plans == 2
    assert cache.find(LINES[1], **OPTIONS) is second


def test_files_are_bounded(tmp_path):
    cache = conv_mlir.Cache(tmp_path)
    for line in LINES[:3]:
        cache.plan(line, **OPTIONS)
    for entry in cache.entries():
        w = entry.key["problem"].split(" w=")[1][0]
        used = time.time() - 1000 * int(w)
        os.utime(entry.file, (used, used))
    limit = sum(entry.bytes for entry in cache.entries()) + 1000
    small = conv_mlir.Cache(tmp_path, max_bytes=limit)
    small.plan(LINES[3], **OPTIONS)
    left = sorted(e.key["problem"].split(" w=")[1][0] for e in small.entries())
    assert left == ["2", "3", "5"]
    assert small.stats().removed == 1


def test_eight_processes_compile_one_plan_once(tmp_path):
    processes = [start(WORKER, tmp_path, LINE) for _ in range(8)]
    results = [json.loads(finish(process)[0]) for process in processes]
    assert sum(misses for misses, _, _ in results) == 1
    assert sum(hits for _, hits, _ in results) == 7
    assert len({tuple(problems) for _, _, problems in results}) == 1


def test_eight_processes_compile_many_plans_once(tmp_path):
    processes = []
    for seed in range(8):
        lines = random.Random(seed).sample(LINES, len(LINES))
        processes.append((lines, start(WORKER, tmp_path, *lines)))
    misses = 0
    for lines, process in processes:
        own, _, problems = json.loads(finish(process)[0])
        misses += own
        widths = [problem.split(" w=")[1][0] for problem in problems]
        assert widths == [line.split(" w=")[1][0] for line in lines]
    assert misses == len(LINES)
    assert len(files_of(tmp_path)) == len(LINES)


def test_writers_that_are_killed_leave_whole_plans(tmp_path):
    code = f"""
import itertools, sys
import conv_mlir
cache = conv_mlir.Cache(sys.argv[1])
print("ready", flush=True)
for i in itertools.count():
    cache.clear()
    for line in {LINES!r}:
        cache.plan(line, **{OPTIONS!r})
"""
    pause = random.Random(7)
    for _ in range(6):
        process = start(code, tmp_path)
        process.stdout.readline()
        time.sleep(pause.uniform(0.02, 0.3))
        process.send_signal(signal.SIGKILL)
        process.communicate()
        cache = conv_mlir.Cache(tmp_path)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for line in LINES:
                cache.find(line, **OPTIONS)
        assert said == []
        assert all(entry.key for entry in cache.entries())
    # Nor a lock that somebody would wait for.
    assert len([cache.plan(line, **OPTIONS) for line in LINES]) == len(LINES)


@pytest.mark.parametrize(
    "damage, says",
    [
        (lambda data: b"", "not an entry"),
        (lambda data: data[:100], "truncated or damaged"),
        (lambda data: data[:-9], "its plan: truncated or damaged"),
        (lambda data: data[:-20] + b"\0" + data[-19:], "checksum"),
        (lambda data: b"\x7fELF" * 1000, "not an entry"),
    ],
)
def test_damaged_files_are_reported_and_rebuilt(tmp_path, damage, says):
    before = conv_mlir.Cache(tmp_path).plan(LINE, **OPTIONS)
    (file,) = files_of(tmp_path)
    file.write_bytes(damage(file.read_bytes()))
    cache = conv_mlir.Cache(tmp_path)
    with pytest.warns(UserWarning, match=f"{says}.*; the plan is compiled again"):
        assert cache.plan(LINE, **OPTIONS).launches == before.launches
    assert cache.stats().rebuilt == 1
    assert conv_mlir.Cache(tmp_path).find(LINE, **OPTIONS).launches == before.launches


def test_a_file_under_another_name_is_not_taken(tmp_path):
    cache = conv_mlir.Cache(tmp_path)
    cache.plan(LINES[0], **OPTIONS)
    (first,) = files_of(tmp_path)
    cache.plan(LINES[1], **OPTIONS)
    (second,) = set(files_of(tmp_path)) - {first}
    second.write_bytes(first.read_bytes())
    with pytest.warns(UserWarning, match="holds another plan than its name says"):
        plan = conv_mlir.Cache(tmp_path).plan(LINES[1], **OPTIONS)
    assert " w=3 " in plan.problem


def test_folders_that_cannot_be_written_work():
    # Not even root writes below /proc.
    cache = conv_mlir.Cache("/proc")
    with pytest.warns(UserWarning, match="cache: cannot write '/proc/plans/.*kept"):
        plan = cache.plan(LINE, **OPTIONS)
    assert cache.plan(LINE, **OPTIONS) is plan
    assert cache.stats().unsaved == 1


def test_full_disks_work(tmp_path):
    code = f"""
import resource, sys, warnings
import conv_mlir
resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
cache = conv_mlir.Cache(sys.argv[1])
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    plans = [cache.plan(line, **{OPTIONS!r}) for line in {LINES!r}]
print(len(said), said[0].message)
print(len(plans), cache.stats().unsaved)
"""
    out, _ = finish(start(code, tmp_path))
    said, counts = out.splitlines()
    assert said.startswith("1 cache: cannot write")
    assert said.endswith("plans are compiled and not kept")
    assert counts == "4 4"
    assert files_of(tmp_path) == [] and not list(tmp_path.glob("plans/.conv*"))


def test_threads(cache):
    found = []

    def ask():
        found.append(cache.plan(LINE, **OPTIONS))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(plan) for plan in found}) == 1
    assert cache.stats().misses == 1


def test_where_it_is(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert conv_mlir.Cache().directory == str(tmp_path / "xdg/conv-mlir")
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert conv_mlir.Cache().directory == str(tmp_path / "home/.cache/conv-mlir")
    monkeypatch.setenv("CONV_MLIR_CACHE_DIR", str(tmp_path / "named"))
    assert conv_mlir.Cache().directory == str(tmp_path / "named")
    assert conv_mlir.Cache(tmp_path / "x").directory == str(tmp_path / "x")


def test_without_a_home_plans_are_in_memory(monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    with pytest.warns(UserWarning, match="cannot make.*plans are kept in memory only"):
        cache = conv_mlir.Cache()
    assert cache.directory == ""
    assert cache.plan(LINE, **OPTIONS) is cache.plan(LINE, **OPTIONS)
    monkeypatch.setenv("XDG_CACHE_HOME", "")
    monkeypatch.setenv("HOME", "")
    with pytest.warns(UserWarning, match="no home folder"):
        conv_mlir.Cache()


def test_bad_values(tmp_path, monkeypatch):
    def refusal(*arguments, **options):
        with pytest.raises(conv_mlir.Error) as error:
            conv_mlir.Cache(*arguments, **options)
        assert error.value.status == 2
        return str(error.value)

    assert "max_bytes: expected 0 to" in refusal(tmp_path, max_bytes=-1)
    assert "max_plans: expected at least 0, got -1" in refusal(tmp_path, max_plans=-1)
    assert "cannot make the folder '/dev/null/x'" in refusal("/dev/null/x")
    monkeypatch.setenv("CONV_MLIR_CACHE_DIR", "/dev/null/y")
    assert "cannot make the folder '/dev/null/y'" in refusal()
    for text in ("-1", "1e9", "many", str(1 << 63)):
        monkeypatch.setenv("CONV_MLIR_CACHE_BYTES", text)
        assert "CONV_MLIR_CACHE_BYTES: expected a whole number" in refusal(tmp_path)
    monkeypatch.setenv("CONV_MLIR_CACHE_BYTES", "5000")
    assert conv_mlir.Cache(tmp_path).max_bytes == 5000


def test_problems_that_cannot_be_compiled(cache):
    for line in ("forward", "forward c=8 h=5 w=5 k=8 r=9 s=9"):
        with pytest.raises(conv_mlir.Error):
            cache.plan(line, **OPTIONS)
    with pytest.raises(TypeError):
        cache.plan(LINE, colour="red")
    assert cache.entries() == []


def test_command(tmp_path):
    folder = tmp_path / "cache"
    done = command(CONV_MLIR_CACHE_DIR=str(folder))
    assert done.stdout == f"{folder}: 0 plans, 0 bytes of at most 1.0 GiB\n"
    assert not folder.exists()
    cache = conv_mlir.Cache(folder)
    cache.plan(LINE, **OPTIONS, schedule="stages=3")
    files_of(folder)[0].with_name("f" * 64 + ".conv-entry").write_bytes(b"x")
    done = command("list", f"--directory={folder}", CONV_MLIR_CACHE_BYTES="5000000")
    assert done.returncode == 0, done.stderr
    assert "sm_80    forward n=1 c=16 h=5 w=4" in done.stdout
    assert "type=bf16 (stages=3)\n" in done.stdout
    assert "damaged: " in done.stdout
    assert ": 2 plans, " in done.stdout and " of at most 4.8 MiB\n" in done.stdout
    done = command("clear", f"--directory={folder}")
    assert done.stdout.startswith("removed 2 plans, ")
    assert files_of(folder) == []


def test_command_knows_measurements(tmp_path):
    measured = measurements_of(conv_mlir.Cache(tmp_path))
    for name in "ab":
        measured.add({"call": name}, Measurement("", 1.0, 2.0))
    done = command(f"--directory={tmp_path}")
    assert done.stdout.endswith(" of at most 1.0 GiB, and 2 measurements\n")
    done = command("clear", f"--directory={tmp_path}")
    assert done.stdout == "removed 0 plans, 0 bytes, and 2 measurements\n"
    assert len(measured) == 0


def test_command_refuses(tmp_path):
    (tmp_path / "file").write_text("")
    done = command(f"--directory={tmp_path}/file")
    assert done.returncode == 2 and done.stdout == ""
    assert done.stderr.startswith("conv_mlir: error: cache: cannot make the folder")
    done = command(CONV_MLIR_CACHE_DIR=str(tmp_path), CONV_MLIR_CACHE_BYTES="-5")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "got '-5'" in done.stderr
    assert command("melt").returncode == 2


def test_tuning_records_count(cache, tmp_path):
    path = tmp_path / "tuning.json"
    options = {**OPTIONS, "tuned": True, "tuning_file": path}

    def add(line, schedule):
        conv_mlir.add_tuning_record(path, line, "sm_80", schedule, "Some GPU", 7.5)
        cache.forget()
        return cache.plan(LINE, **options).schedule

    assert "stages=3" in add(LINE, "stages=3")
    assert "stages=4" in add(LINE, "stages=4")
    assert cache.stats().misses == 2
    # Records of other problems make no plan old.
    assert "stages=4" in add(LINES[0], "stages=5")
    assert (cache.stats().misses, cache.stats().hits) == (2, 1)
