"""Two processes, by gloo and the emulator: scripts/torch_ddp.py on a small network."""

import os
import pathlib
import subprocess
import sys

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("torch.distributed.fsdp", reason="no distributed PyTorch")

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/torch_ddp.py"


def run(folder, script, *arguments, processes):
    launch = [sys.executable, "-m", "torch.distributed.run", "--standalone"]
    return subprocess.run(
        [*launch, f"--nproc_per_node={processes}", script, "--device=cpu", *arguments],
        env={**os.environ, "CONV_MLIR_CACHE_DIR": str(folder), "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=600,
    )


@pytest.mark.skipif(not torch.distributed.is_available(), reason="no gloo")
def test_gradients_of_two_ranks_are_those_of_the_joined_batch(tmp_path):
    done = run(tmp_path, SCRIPT, processes=2)
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]
    results = {row[0]: (row[5:8], row[-1]) for row in rows if row[1] == "convnet"}
    # Eight convolutions in a rank, and as many for the joined batch.
    assert results == {part: (["16", "of", "16"], "right") for part in ("ddp", "fsdp")}


def test_wrong_gradients_are_a_status(tmp_path):
    """A tolerance that nothing meets."""
    program = (
        "import sys\n"
        f"sys.path.insert(0, {str(SCRIPT.parent)!r})\n"
        "import torch, torch_ddp\n"
        "torch_ddp.TOLERANCES[torch.float32] = torch_ddp.FACTOR = 0\n"
        "sys.exit(torch_ddp.main())\n"
    )
    script = tmp_path / "strict.py"
    script.write_text(program)
    done = run(tmp_path, script, "--parts=ddp", processes=1)
    assert done.returncode == 1 and "WRONG" in done.stdout


def test_not_run_by_torchrun_is_a_sentence():
    environment = {k: v for k, v in os.environ.items() if k != "LOCAL_RANK"}
    done = subprocess.run(
        [sys.executable, SCRIPT, "--device=cpu"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "expected to be run by torchrun --nproc_per_node=N" in done.stderr
