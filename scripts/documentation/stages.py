"""Three kernels through all stages: the pages that `conv-run --stages` writes, on the site.

Input: conv-run, or nothing where it is not built. Output: a folder for each kernel, and the
page that leads to them.
"""

import pathlib
import shutil
import subprocess

PAGE = "reference/stages.md"

#: Folder of each kernel, what it shows, its problem and its target.
KERNELS = {
    "forward": (
        "A 3x3 layer: windows by TMA, products by `wgmma`",
        "forward n=1 c=64 h=14 w=12 k=64 r=3 s=3 pad=1 type=bf16",
        "sm_90a",
    ),
    "wgrad": (
        "The gradient of its filter: gemm-k in parts",
        "wgrad n=2 c=64 h=14 w=12 k=64 r=3 s=3 pad=1 type=bf16",
        "sm_90a",
    ),
    "dgrad": (
        "The gradient of an input with a stride: phases, by `cp.async` and `mma.sync`",
        "dgrad n=1 c=32 h=14 w=12 k=64 r=3 s=3 stride=2 pad=1 type=f16",
        "sm_80",
    ),
}

HEAD = """# Kernels through all stages

[`conv-run --stages`](../docs/ConvRun.md#every-stage-of-a-run) writes a page with neighbouring stages side by side, and marks
what differs. Each was verified on the emulator.
"""

MISSING = """
This site was made without `conv-run`. `scripts/docs.sh` makes the pages where `build/release/bin/conv-run` is.
"""


def make_page(conv_run):
    """Name and text of the page that leads to the kernels."""
    if not conv_run:
        return {PAGE: HEAD + MISSING}
    rows = [
        f'| <a href="../stages/{name}/index.html">{name}</a> | {what} | `{problem}` | `{target}` |'
        for name, (what, problem, target) in KERNELS.items()
    ]
    table = ["", "| kernel | what it shows | problem | target |", "|---|---|---|---|", *rows, ""]
    return {PAGE: HEAD + "\n".join(table)}


def write_kernels(conv_run, html, kernels=KERNELS):
    """A folder of each kernel in `html`/stages, none of an earlier site."""
    shutil.rmtree(pathlib.Path(html) / "stages", ignore_errors=True)
    for name, (_, problem, target) in kernels.items():
        folder = pathlib.Path(html) / "stages" / name
        folder.parent.mkdir(parents=True, exist_ok=True)
        command = [conv_run, f"--problem={problem}", f"--target={target}", "--no-tuning"]
        command += ["--device=emulator", "--verify", f"--stages={folder}"]
        subprocess.run(command, capture_output=True, text=True, check=True)
