"""What is on the site, and in which order.

Input: the documents of the repository. Output: sections, each a title and its documents;
pages that are generated have the names that `reference.py` gives them.
"""

import pathlib
import subprocess

#: Each section with its documents. A pattern stands for what is not named elsewhere.
SECTIONS = {
    "Begin": [
        "README.md",
        "docs/Building.md",
        "docs/PyTorch.md",
        "docs/JAX.md",
        "docs/ONNX.md",
        "examples/README.md",
    ],
    "Tutorial": ["docs/tutorial/README.md", "docs/tutorial/*.md"],
    "Programs and tools": [
        "docs/ConvRun.md",
        "docs/ConvLaunch.md",
        "docs/ConvReduce.md",
        "docs/Emulator.md",
        "docs/Problem.md",
        "docs/Linalg.md",
        "docs/StableHLO.md",
        "docs/Cache.md",
        "docs/Tuning.md",
        "tuning/README.md",
    ],
    "How it works": [
        "docs/Glossary.md",
        "docs/ConvSpec.md",
        "docs/Pipelines.md",
        "docs/Schedules.md",
        "docs/KernelPlan.md",
        "docs/Targets.md",
        "docs/*.md",
    ],
    "Forms of kernels": ["docs/forms/*.md"],
    "Experiments and contributions": [
        "docs/Experimenting.md",
        "docs/Scripts.md",
        "CONTRIBUTING.md",
        "docs/AddingAForm.md",
        "docs/AddingAnEngine.md",
        "docs/Upstream.md",
        "lib/**/*.md",
        "CHANGELOG.md",
    ],
    "Reference": ["docs/CApi.md", "reference/*.md"],
    "Results": ["docs/Performance.md", "docs/performance-log.md", "benchmarks/results/*.md"],
}


def list_files(root, *patterns):
    """Files that are committed, or will be."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", *patterns]
    run = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)
    return sorted(name for name in run.stdout.split("\n") if (pathlib.Path(root) / name).is_file())


def get_sections(names):
    """Title and documents of each section; an error names what stands nowhere or is missing."""
    named = {entry for entries in SECTIONS.values() for entry in entries if "*" not in entry}
    if missing := sorted(named - set(names)):
        raise ValueError(f"contents.py names documents that there are not: {', '.join(missing)}")
    sections, left = {}, set(names) - named
    for title, entries in SECTIONS.items():
        sections[title] = []
        for entry in entries:
            found = {entry} if entry in named else {name for name in left if _matches(name, entry)}
            left -= found
            # Results are named by their day: the newest one first.
            sections[title] += sorted(found, reverse=title == "Results")
    if left:
        raise ValueError(f"documents in no section of contents.py: {', '.join(sorted(left))}")
    return sections


def _matches(name, pattern):
    folder, _, rest = pattern.rpartition("/")
    if folder.endswith("**"):
        return name.startswith(folder[:-2]) and name.endswith(rest[1:])
    return pathlib.PurePath(name).parent == pathlib.PurePath(folder) and name.endswith(rest[1:])
