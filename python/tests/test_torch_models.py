"""models.py with PyTorch, on the CPU and the emulator: the networks, their steps, and
one run from the command line to the files."""

import json
import pathlib
import subprocess
import sys
import types

import pytest

torch = pytest.importorskip("torch")
from networks.catalogue import NETWORKS  # noqa: E402
from networks.contest import PYTORCH, Sides, Turns  # noqa: E402
from networks.losses import compare_losses  # noqa: E402
from networks.profiling import summarise  # noqa: E402
from networks.steps import Steps  # noqa: E402
from networks.subjects import Subject  # noqa: E402
from networks.video_vae import CausalConv3d  # noqa: E402

MODELS = pathlib.Path(__file__).resolve().parents[2] / "benchmarks/models.py"
OWN = [name for name, network in NETWORKS.items() if network.classes is None]
RESULTS = {
    "resnet50": (2, 1000),
    "convnext_tiny": (2, 1000),
    "resnext50_32x4d": (2, 1000),
    "efficientnet_b0": (2, 1000),
    "vae_decoder": (2, 3, 512, 512),
    "unet3d": (2, 3, 128, 128, 128),
    "video_vae": (2, 256, 17, 48, 48),
    "speech": (2, 768, 500),
}


def tiny(network, task="inference", layout="default", **rest):
    return Subject(network, task, 2, False, layout, "cpu", is_tiny=True, **rest)


# Networks.


@pytest.mark.parametrize("name", NETWORKS)
def test_full_networks(name):
    if name not in OWN:
        pytest.importorskip("torchvision")
    network = NETWORKS[name]
    with torch.device("meta"):
        result = network.build(False).eval()(torch.empty(2, *network.extents))
    assert result.shape == RESULTS[name]


@pytest.mark.parametrize("name", OWN)
def test_inference_of_tiny_networks(name):
    layout = "channels-last" if NETWORKS[name].rank > 1 else "default"
    result = Steps(tiny(name, layout=layout)).step(is_ours=False)
    plain = Steps(tiny(name)).step(is_ours=False)
    assert result.dtype == torch.bfloat16 and not result.requires_grad
    assert result.isfinite().all()
    difference = (result.float() - plain.float()).norm() / plain.float().norm()
    assert difference < 0.05  # The same network in both layouts.


def test_frames_do_not_depend_on_later_ones():
    layer = CausalConv3d(4, 4)
    x = torch.randn(1, 4, 5, 6, 7)
    changed = x.clone()
    changed[:, :, 3] += 1
    frames = zip(layer(x).unbind(2), layer(changed).unbind(2))
    same = [torch.equal(a, b) for a, b in frames]
    assert same == [True, True, True, False, False]


# Steps.


def losses_of(steps, seed=0, count=3):
    steps.restart(seed)
    return [steps.step(is_ours=False).item() for _ in range(count)]


def test_training_begins_anew():
    steps = Steps(tiny("speech", "training"))
    first = losses_of(steps)
    assert losses_of(steps) == first
    assert len(set(first)) == 3  # It trains.
    assert Steps(tiny("speech", "training")).step(is_ours=False).item() == first[0]


def test_another_order_of_images_is_the_same_training():
    steps = Steps(Subject("speech", "training", 5, False, "default", "cpu", is_tiny=True))
    before = steps._inputs.clone()
    first, reordered = losses_of(steps), losses_of(steps, seed=1)
    assert not torch.equal(steps._inputs, before)
    assert reordered == pytest.approx(first, rel=0.01)


class Recorder:
    """Steps that note whose convolutions were enabled."""

    subject = tiny("speech")

    def __init__(self):
        self.seen = []

    def step(self, is_ours):
        has = torch._C._dispatch_has_kernel_for_dispatch_key
        self.seen.append((is_ours, has("aten::convolution", "CPU")))


def test_each_turn_has_its_kernels():
    recorder, sides = Recorder(), Sides("cpu")
    turns = Turns(recorder, sides)
    for side in (PYTORCH, "auto"):
        turns.prepare(side)
    turns.time([("auto", 3), (PYTORCH, 2), ("auto", 1)])
    sides.close()
    assert all(is_ours == is_enabled for is_ours, is_enabled in recorder.seen)
    counted = [is_ours for is_ours, _ in recorder.seen[12:]]
    # The first turn goes on; the others begin with two steps that do not count.
    assert counted == [True] * 3 + [False] * (2 + 2) + [True] * (2 + 1)
    assert "auto" in sides.reports
    recorder.step(is_ours=False)
    assert recorder.seen[-1] == (False, False)


# On the emulator.


def test_losses_on_the_emulator():
    subject = Subject("speech", "training", 3, False, "default", "cpu", is_tiny=True)
    found = compare_losses(Steps(subject), "auto", steps=2, seeds=2)
    assert found["same_bits"]
    assert found["difference"] < 0.02 * found["last"]
    assert not torch._C._dispatch_has_kernel_for_dispatch_key("aten::convolution", "CPU")


def run_models(*arguments):
    return subprocess.run(
        [sys.executable, str(MODELS), "--device=cpu", "--tiny", *arguments],
        capture_output=True,
        text=True,
        timeout=500,
    )


def test_a_run(tmp_path):
    path, chart = tmp_path / "run.json", tmp_path / "run.svg"
    done = run_models(
        *("--models=speech", "--tasks=inference", "--batch=1", "--modes=eager"),
        *("--samples=1", f"--json={path}", f"--chart={chart}"),
    )
    assert done.returncode == 0, done.stderr
    (row,) = json.loads(path.read_text())["rows"]
    assert row["our_calls"] == row["calls"] > 0
    assert row["ratio"] == row["pytorch"]["median_us"] / row["ours"]["median_us"]
    assert "| 1-D speech encoder | inference, 1 | default | eager | auto |" in done.stdout
    assert chart.read_text().startswith("<svg")


def test_a_policy_that_the_device_does_not_have():
    done = run_models(
        *("--models=speech", "--tasks=inference", "--batch=1", "--modes=eager"),
        "--policies=measure",
    )
    assert done.returncode == 1
    assert "'measure' times kernels on a GPU" in done.stdout


# Profiles.


def event(name, type, us=0.0, parent=None, is_user_annotation=False):
    return types.SimpleNamespace(
        name=name,
        device_type=type,
        cpu_parent=parent,
        is_user_annotation=is_user_annotation,
        device_time_total=us,
        time_range=types.SimpleNamespace(elapsed_us=lambda: us),
    )


def test_a_profile_of_two_steps():
    cpu, gpu = torch.autograd.DeviceType.CPU, torch.autograd.DeviceType.CUDA
    conv2d = event("aten::conv2d", cpu, 30.0)
    convolution = event("aten::convolution", cpu, 30.0, conv2d)
    inner = event("aten::convolution_backward", cpu, 10.0, convolution)
    ours = event("conv_mlir_kernels::conv", cpu, 5.0)
    kernels = [event("a", gpu, 30.0), event("b", gpu, 5.0), event("a", gpu, 10.0)]
    note = event("Torch-Compiled Region", gpu, 45.0, is_user_annotation=True)
    found = summarise([conv2d, convolution, inner, ours, *kernels, note], 2)
    assert found == {
        "kernels_us": 22.5,
        "launches": 1.5,
        "convolutions_us": 17.5,
        "longest": [["a", 1.0, 20.0], ["b", 0.5, 2.5]],
    }
    assert summarise(kernels, 1)["convolutions_us"] is None
