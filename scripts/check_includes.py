#!/usr/bin/env python3
"""Whether the includes of include/conv, lib and tools go one way.

    scripts/check_includes.py [--root=DIR]

A unit is a header and the file of its name (`BoxRing.h`, `BoxRing.cpp`). A room is a library,
a part of one, or a wing of lib/Transforms. The check fails, with a line for each fault, where

* a file includes one of a room that comes later in ROOMS: an arrow that runs back up;
* units include each other in a circle;
* a folder of lib/ has more than 40 files;
* a private header declares functions of more than two .cpp.

ROOMS is the one place that says what may include what. An exception stands in one of the tables
below it with its reason; one that is no longer needed is a fault, too.
Status 0: no fault; 1: faults; 2: a file or folder that the check does not know.
"""

import argparse
import collections
import os
import pathlib
import re
import sys

# From below to above: a room includes those in front of it. A name that ends with / stands for
# the rest of a folder.
ROOMS = [
    "Support",
    "Chip",
    "Geometry",
    "Problem",
    "Dialect/StableHLO",
    "Dialect/Conv",
    # Decides, and makes no IR. Its folders stand beside each other: a form asks for shapes, a
    # model for forms, and a form for the model's rates.
    "Schedule",
    # The level below conv: no convolution and no decision knows of it.
    "Dialect/Engine",
    # Makes IR. The order is that of includes; forms go from Operations to TensorCores.
    "Transforms/Support",
    "Transforms/Roles",
    "Transforms/Matrices",
    "Transforms/PlainKernels",
    "Transforms/Tiling",
    "Transforms/Operations",
    "Transforms/Kernels",
    "Transforms/Ring",
    "Transforms/Copies",
    "Transforms/TensorCores",
    "Transforms/Epilogue",
    "Transforms/RowSums",
    "Transforms/Plan",
    "Transforms",
    # Operations with which scripts decide.
    "Script",
    "Conversion",
    "Pipelines",
    "Runtime",
    "Tuning",
    "Reference",
    "Emulator",
    # What a module means, whatever is compiled of it.
    "Interpreter",
    "Compiler",
    "Cache",
    "CAPI",
    "tools",
]

# (room, unit that it may include): why.
ARROWS = {}

# Units that may include each other: why. A name that ends with * stands for all that begin so.
CIRCLES = {
    ("Compiler/*",): (
        "public headers are the interface, and have the types that its parts take; what they hide "
        "of MLIR stands in headers of its own"
    ),
    ("Dialect/Conv/IR/*",): (
        "ConvDialect.cpp registers operations and attributes, whose headers include the dialect's"
    ),
    ("Emulator/*",): (
        "an emulated machine is one thing: its memory reports faults of threads, its threads wait "
        "for its memory"
    ),
    ("Geometry/TmaDimensions", "Geometry/TmaView"): (
        "TmaDimensions.h is what TmaView.cpp and TmaBoxView.cpp share; the view is its result"
    ),
    ("Reference/*",): (
        "Reference.h is the interface, and has the arguments that its parts take"
    ),
    ("Runtime/Plan", "Runtime/PlanProblem", "Runtime/WorkspaceLayout"): (
        "parts of a plan that Plan.cpp asks: PlanProblem.h compares it with its problem, so that "
        "Plan.h does not show problems, and WorkspaceLayout.h places its workspace"
    ),
    ("tools/conv-run/Verify", "tools/conv-run/Workload"): (
        "a workload says what is expected of it, which is verified"
    ),
}

# Folders of more than 40 files: why.
FOLDERS = {}

# Headers that declare functions of more than two .cpp: why.
HEADERS = {
    "Schedule/Schedule": "the interface of the library, for tools, passes and tuning",
    "Transforms/Epilogue/ChannelRows": "one class; a file for each way that its rows are stored",
    "Transforms/Ring/RingOperands": "an interface, and the functions that make what fulfils it",
    "Transforms/RowSums/HelperSums": "an interface, and the functions that make what fulfils it",
    "Transforms/TensorCores/TileDistribution": (
        "the state of a pass, and a function for each family of operations that it distributes; "
        "some of them stand in Epilogue, which includes this header"
    ),
}

MOST_FILES = 40
MOST_DEFINERS = 2

INCLUDE = re.compile(r'^#include "([^"]+)"', re.M)


class Fault(Exception):
    """Something that the tables do not know."""


def list_files(root):
    """Paths of headers and sources, relative to the root."""
    for folder in ("include/conv", "lib", "tools"):
        for directory, _, names in sorted(os.walk(root / folder)):
            for name in sorted(names):
                if name.endswith((".h", ".cpp")):
                    yield pathlib.Path(directory).relative_to(root) / name


def get_place(path):
    """Of a file: its path without include/conv or lib, and without the suffix."""
    parts = path.parts
    parts = parts[2:] if parts[0] == "include" else parts[1:] if parts[0] == "lib" else parts
    return "/".join(parts).rsplit(".", 1)[0]


def name_units(files):
    """The unit of each file. A header is where others look for it, its .cpp may lie in a folder of
    the library: they are one unit, unless the library has several headers of that name."""
    headers = collections.defaultdict(list)
    for path in files:
        if path.suffix == ".h":
            headers[get_place(path).split("/")[0], path.stem].append(get_place(path))
    units = {}
    for path in files:
        place = get_place(path)
        found = headers[place.split("/")[0], path.stem]
        units[path] = found[0] if len(found) == 1 and not place.startswith("tools/") else place
    return units


def get_room(path):
    """The longest name of a room that the file lies in."""
    folder = get_place(path).rpartition("/")[0]
    while folder:
        if folder in ROOMS:
            return folder
        folder = folder.rpartition("/")[0]
    raise Fault(f"{path} lies in no room; ROOMS of scripts/check_includes.py has none for it")


def resolve(path, name, files):
    """The file that `path` includes as `name`; None where it is not ours, or generated."""
    library = path.parts[:2] if path.parts[0] == "lib" else path.parts[:1]
    for base in (path.parent, pathlib.Path("include"), pathlib.Path(*library)):
        found = pathlib.Path(os.path.normpath(base / name))
        if found in files:
            return found
    return None


def read_includes(root):
    """Pairs of a file and one of ours that it includes."""
    files = set(list_files(root))
    for path in sorted(files):
        get_room(path)
        for name in INCLUDE.findall((root / path).read_text(encoding="utf-8")):
            target = resolve(path, name, files)
            if target:
                yield path, target


def get_arrows(root, includes):
    """The units that each unit includes."""
    units = name_units(list(list_files(root)))
    arrows = {unit: set() for unit in units.values()}
    for path, target in includes:
        if units[path] != units[target]:
            arrows[units[path]].add(units[target])
    return arrows


def find_arrows_up(includes):
    used = set()
    for path, target in includes:
        room, above = get_room(path), get_room(target)
        if ROOMS.index(above) <= ROOMS.index(room):
            continue
        if (room, get_place(target)) in ARROWS:
            used.add((room, get_place(target)))
            continue
        yield f"{path} includes {get_place(target)}.h: {room} is below {above}"
    for room, target in sorted(set(ARROWS) - used):
        yield f"scripts/check_includes.py: no file of {room} includes {target} any more"


def find_circles(arrows):
    """Sets of units that include each other (Tarjan), each sorted."""
    index, low, stack, on_stack, circles = {}, {}, [], set(), []

    def visit(unit):
        index[unit] = low[unit] = len(index)
        stack.append(unit)
        on_stack.add(unit)
        for target in sorted(arrows.get(unit, ())):
            if target not in index:
                visit(target)
                low[unit] = min(low[unit], low[target])
            elif target in on_stack:
                low[unit] = min(low[unit], index[target])
        if low[unit] != index[unit]:
            return
        circle = []
        while not circle or circle[-1] != unit:
            circle.append(stack.pop())
            on_stack.discard(circle[-1])
        if len(circle) > 1:
            circles.append(sorted(circle))

    sys.setrecursionlimit(10000)
    for unit in sorted(arrows):
        if unit not in index:
            visit(unit)
    return sorted(circles)


def get_shortest(circle, arrows):
    """A shortest way through a circle from its first unit back to it."""
    first, seen, ways = circle[0], set(), [[circle[0]]]
    while ways:
        way = ways.pop(0)
        for target in sorted(arrows[way[-1]]):
            if target == first:
                return way + [first]
            if target in circle and target not in seen:
                seen.add(target)
                ways.append(way + [target])
    return circle


def is_among(unit, names):
    return any(unit == name or (name[-1] == "*" and unit.startswith(name[:-1])) for name in names)


def find_faulty_circles(arrows):
    used = set()
    for circle in find_circles(arrows):
        known = [units for units in CIRCLES if all(is_among(unit, units) for unit in circle)]
        used.update(known)
        if not known:
            way = " -> ".join(get_shortest(circle, arrows))
            yield f"{len(circle)} units include each other: {way}"
    for units in sorted(set(CIRCLES) - used):
        yield f"scripts/check_includes.py: no circle of {units[0]}, … any more"


def find_full_folders(root):
    used = set()
    for directory, _, names in sorted(os.walk(root / "lib")):
        folder = pathlib.Path(directory).relative_to(root).as_posix()
        if len(names) <= MOST_FILES:
            continue
        used.add(folder)
        if folder not in FOLDERS:
            yield f"{folder} has {len(names)} files, but at most {MOST_FILES} are read at a glance"
    for folder in sorted(set(FOLDERS) - used):
        yield f"scripts/check_includes.py: {folder} has few files now"


# Function definitions and declarations as clang-format writes them.
NO_FUNCTION = r"^(?!static|using|namespace|inline|#|//|\}| )"
DEFINITION = re.compile(NO_FUNCTION + r"[^;={}\n]*?(?:conv::)(\w+)\(", re.M)
METHOD = re.compile(NO_FUNCTION + r"(?:[^;=(){}\n]*[ *&])?(\w+)::~?(\w+)\(", re.M)
CLASS = re.compile(r"^(?:class|struct) (\w+)(?: [^;\n]*)?\{", re.M)
DECLARATION = re.compile(NO_FUNCTION + r"(?:[^;={}\n]*[ *&\n])?(\w+)\(", re.M)


def find_wide_headers(root):
    """Headers of lib/Transforms and Schedule whose functions or methods stand in many files."""
    rooms = ("lib/Transforms", "lib/Schedule", "include/conv/Schedule")
    files = [f for f in list_files(root) if f.as_posix().startswith(tuple(r + "/" for r in rooms))]
    functions, methods = collections.defaultdict(set), collections.defaultdict(set)
    for path in files:
        if path.suffix != ".cpp":
            continue
        text = (root / path).read_text(encoding="utf-8")
        own = set(CLASS.findall(text))
        for name in DEFINITION.findall(text):
            functions[name].add(path.stem)
        for owner, _ in METHOD.findall(text):
            if owner not in own and owner != "conv":
                methods[owner].add(path.stem)
    used = set()
    for path in files:
        if path.suffix != ".h":
            continue
        text = (root / path).read_text(encoding="utf-8")
        # Overloads share a name: each is where it is declared first, if its unit defines it.
        names = set(DECLARATION.findall(text))
        definers = set()
        for name in names:
            if path.stem in functions[name]:
                definers.add(path.stem)
            elif functions[name]:
                definers |= functions[name] - find_declared(root, files, name, path)
        for owner in CLASS.findall(text):
            definers |= methods[owner]
        if len(definers) <= MOST_DEFINERS:
            continue
        used.add(get_place(path))
        if get_place(path) not in HEADERS:
            yield (
                f"{path.as_posix()} declares functions of {len(definers)} files "
                f"({', '.join(sorted(definers))}), but each file that others call has its header"
            )
    for unit in sorted(set(HEADERS) - used):
        yield f"scripts/check_includes.py: {unit}.h declares functions of few files now"


def find_declared(root, files, name, but):
    """The units whose own header declares `name`."""
    return {
        path.stem
        for path in files
        if path.suffix == ".h"
        and path != but
        and name in DECLARATION.findall((root / path).read_text(encoding="utf-8"))
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    default = pathlib.Path(__file__).resolve().parents[1]
    parser.add_argument("--root", type=pathlib.Path, default=default, help="of the source tree")
    arguments = parser.parse_args()
    if not (arguments.root / "lib").is_dir():
        print(f"{arguments.root} has no folder lib", file=sys.stderr)
        return 2
    try:
        includes = list(read_includes(arguments.root))
        arrows = get_arrows(arguments.root, includes)
        faults = [
            *find_arrows_up(includes),
            *find_faulty_circles(arrows),
            *find_full_folders(arguments.root),
            *find_wide_headers(arguments.root),
        ]
    except Fault as fault:
        print(fault, file=sys.stderr)
        return 2
    for fault in faults:
        print(fault)
    print(f"{len(arrows)} units, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
