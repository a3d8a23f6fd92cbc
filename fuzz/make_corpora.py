"""Makes the first inputs of the fuzz targets out of the lit tests.

    make_corpora.py CONV_RUN FOLDER

Output: a folder of inputs for each target, FOLDER/NAME, and the words of their
texts as libFuzzer's dictionary, FOLDER/NAME.dict. The forms are those that the
targets describe (fuzz/*Fuzzer.cpp). Plans are compiled by CONV_RUN for the
emulator alone, and arrays are written by NumPy.
"""

import collections
import hashlib
import io
import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[1]
TESTS = ROOT / "test"
LARGEST_MODULE = 1 << 12
# What a module may go through: ModuleFuzzer.cpp.
WAYS = 14

# Small problems whose plans have all that a plan can have: workspaces,
# constants, tensor maps of both modes, several launches, clusters.
PLANS = (
    ("sm_80", "forward n=1 c=8 h=5 w=6 k=8 r=3 s=3 pad=1"),
    ("sm_80", "dgrad n=1 c=8 h=5 w=6 k=8 r=3 s=2 stride=2 type=f16"),
    ("sm_80", "wgrad n=2 c=8 h=5 w=6 k=8 r=3 s=3 epilogue=dbias"),
    ("sm_80", "forward n=1 c=3 w=9 k=4 s=3 type=f32 epilogue=scale,bias,clip:0:6"),
    ("sm_89", "forward n=1 c=16 h=4 w=4 k=8 r=1 s=1 type=e4m3"),
    ("sm_90a", "forward n=1 c=64 h=8 w=8 k=64 r=3 s=3 pad=1"),
    ("sm_90a", "wgrad n=2 c=64 h=8 w=8 k=64 r=3 s=3 pad=1"),
    ("sm_90a", "dgrad n=1 c=64 h=8 w=8 k=64 r=1 s=1 stride=2 layout=nchw"),
    ("sm_90a", "forward n=1 c=16 h=8 w=8 k=16 r=1 s=1 type=s8 accumulate=true"),
    ("sm_90a", "forward n=0 c=8 h=4 w=4 k=8 r=1 s=1"),
)


def commands_of(path):
    """The RUN lines of a test, continued and with the test's own substitutions."""
    values, text = {}, ""
    for line in path.read_text().splitlines():
        found = re.search(r"\b(RUN|DEFINE|REDEFINE):(.*)", line)
        if not found:
            continue
        text += " " + found[2].strip()
        if text.endswith("\\"):
            text = text[:-1]
            continue
        name = re.match(r"\s*%\{([\w:-]+)\}\s*=(.*)", text)
        if found[1] != "RUN" and name:
            values[name[1]] = name[2].strip()
        else:
            yield expand(text, values)
        text = ""


def expand(text, values):
    for _ in range(8):
        text = re.sub(r"%\{([\w:-]+)\}", lambda m: values.get(m[1], ""), text)
    return text


def option(command, name):
    found = re.search(rf'--{name}=(?:"([^"]*)"|(\S+))', command)
    return (found[1] or found[2] or "") if found else ""


def commands():
    for path in sorted(TESTS.rglob("*.test")) + sorted(TESTS.rglob("*.mlir")):
        yield from commands_of(path)


def make_problems():
    return {problem for c in commands() if (problem := option(c, "problem"))}


def make_schedules():
    for command in commands():
        problem, schedule = option(command, "problem"), option(command, "schedule")
        if problem and schedule:
            yield "\n".join((option(command, "target") or "sm_90a", problem, schedule))


def make_modules():
    """Each module goes one of the ways, in turn by what is in it; mutations take
    the others."""
    for path in sorted(TESTS.rglob("*.mlir")) + sorted((ROOT / "examples").glob("*.mlir")):
        for text in path.read_text().split("// -----"):
            module = re.sub(r"^\s*//.*\n", "", text, flags=re.MULTILINE).strip()
            if module and len(module) < LARGEST_MODULE:
                way = zlib.crc32(module.encode()) % WAYS
                yield chr(ord("a") + way) + module


def make_tuning_files():
    for path in sorted(ROOT.glob("tuning/*.json")) + sorted(TESTS.rglob("*.json")):
        document = json.loads(path.read_text())
        if document.get("format") == "conv-mlir-tuning":
            for count in (1, 3):
                yield json.dumps(document | {"records": document["records"][:count]}, indent=1)


def arrays():
    for dtype in ("f2", "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", ">f4", "c8", "?"):
        for shape in ((), (3,), (2, 1, 3), (0, 5)):
            yield numpy.arange(numpy.prod(shape, dtype=int)).reshape(shape).astype(dtype)
    yield numpy.asfortranarray(numpy.ones((2, 3), "f4"))
    yield numpy.array([numpy.inf, -0.0, numpy.nan, 1e300, 65520])
    yield numpy.zeros(2, [("a", "f4"), ("b", "i1")])


def make_npy_files():
    for array in arrays():
        for version in ((1, 0), (2, 0), (3, 0)):
            file = io.BytesIO()
            numpy.lib.format.write_array(file, array, version)
            yield file.getvalue()


def make_npz_files():
    for array in arrays():
        for save in (numpy.savez, numpy.savez_compressed):
            for others in ({}, {"y": array, "z": array}):
                file = io.BytesIO()
                save(file, x=array, **others)
                yield file.getvalue()


def shorten(plan):
    """The header of a plan file, a zero, and data with short images: the reader
    does not look into them."""
    header_size = struct.unpack_from("<Q", plan, 12)[0]
    header = json.loads(plan[28 : 28 + header_size])
    rest, data = plan[28 + header_size : -8], b""
    for image in header["images"]:
        data += rest[: min(image["bytes"], 16)]
        rest = rest[image["bytes"] :]
        image["bytes"] = min(image["bytes"], 16)
    return json.dumps(header).encode() + b"\0" + data + rest


def make_plans(conv_run):
    """Each plan as a whole file, and shortened."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan"
        for target, problem in PLANS:
            command = [conv_run, f"--problem={problem}", f"--target={target}", "--no-tuning"]
            command += ["--device=emulator", "--emit=plan", "-o", str(path)]
            subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
            plan = path.read_bytes()
            yield shorten(plan)
            yield plan


def write_dictionary(path, texts):
    """The words that occur most often, and numbers at the edges of types."""
    words = collections.Counter(w for t in texts for w in set(re.findall(r"[\w.#-]{2,30}=?", t)))
    numbers = ["0", "-1", "1", "65536", "2147483647", "4294967296", "9223372036854775807"]
    chosen = [word for word, _ in words.most_common(500)] + numbers
    path.write_text("".join(f'"{word}"\n' for word in chosen))


def write_corpus(folder, name, inputs):
    (folder / name).mkdir(parents=True, exist_ok=True)
    texts = []
    for content in inputs:
        if isinstance(content, str):
            texts.append(content)
            content = content.encode()
        (folder / name / hashlib.sha1(content).hexdigest()).write_bytes(content)
    if name == "plan":
        texts = [p.read_bytes().split(b"\0")[0].decode() for p in (folder / name).iterdir()
                 if not p.read_bytes().startswith(b"CONVPLAN")]
    write_dictionary(folder / f"{name}.dict", texts)


def main():
    conv_run, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    corpora = {
        "module": make_modules(),
        "npy": make_npy_files(),
        "npz": make_npz_files(),
        "plan": make_plans(conv_run),
        "problem": make_problems(),
        "schedule": make_schedules(),
        "tuning": make_tuning_files(),
    }
    for name, inputs in corpora.items():
        write_corpus(folder, name, inputs)
        print(f"{name}: {len(list((folder / name).iterdir()))} inputs")


if __name__ == "__main__":
    main()
