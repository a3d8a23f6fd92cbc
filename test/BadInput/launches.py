"""Cases of bad_input.py for conv-launch: all are refused before a device is opened."""

PLAN = ["good.plan"]


def tensor(words, path):
    """A file that is neither an argument nor a result."""
    return [
        (PLAN + [f"--input=x={path}"], words),
        (PLAN + ["--input=ones", f"--expect={path}"], words),
    ]


CASES = [
    ([], ["expected FILE.plan", "--help"]),
    (["--frobnicate"], ["unknown option '--frobnicate'"]),
    (["good.mlir"], ["expected FILE.plan, got 'good.mlir'", "conv-run"]),
    (PLAN + PLAN, ["expected one file"]),
    (PLAN + ["--describe=all"], ["--describe takes no value"]),
    (PLAN + ["--describe", "--time"], ["--describe runs nothing"]),
    (PLAN + ["--describe", "--input=ones"], ["--describe runs nothing"]),
    (PLAN + ["--time=0"], ["--time", "at least 1", "'0'"]),
    (PLAN + ["--time="], ["--time", "expected a value"]),
    (PLAN + ["--time=ten"], ["--time", "'ten'"]),
    (PLAN + ["--tolerance=0"], ["--tolerance needs --expect"]),
    (PLAN + ["--expect=good.npy", "--tolerance=-1"], ["--tolerance", "not negative", "'-1'"]),
    (PLAN + ["--expect=good.npy", "--tolerance=nan"], ["--tolerance", "'nan'"]),
    (PLAN + ["--expect=good.npy", "--tolerance=1e-3x"], ["--tolerance", "'1e-3x'"]),
    (PLAN + ["--expect=good.npy", "--tolerance="], ["--tolerance", "expected a value"]),
    (PLAN + ["--device=emulator"], ["--device: bad device 'emulator'", "auto, cuda"]),
    (PLAN + ["--device=cuda:x"], ["--device: bad device 'cuda:x'", "number"]),
    (PLAN + ["--device=cuda", "--device=cuda:1"], ["--device is given twice"]),
    # Operands.
    (PLAN + ["--input=ones"] * 4, ["--input", "at most 3 (x, w, bias)", "got 4"]),
    (PLAN + ["--expect=good.npy"] * 2, ["--expect", "at most 1 (y)"]),
    (PLAN + ["--output=a.npy"] * 2, ["--output", "at most 1 (y)"]),
    (PLAN + ["--input=dy=ones"], ["--input: expected one of x, w, bias in front of '='", "'dy'"]),
    (PLAN + ["--input=x=ones", "--input=x=zeros"], ["--input: 'x' is given twice"]),
    (PLAN + ["--input=x=ones", "--input=zeros"], ["all of them with NAME= or none", "'zeros'"]),
    (PLAN + ["--input=x="], ["--input: expected a value after '='"]),
    (PLAN + ["--input=many"], ["--input: bad input 'many'", "PATH.npy"]),
    (PLAN + ["--input=./x=1.npy"], ["./x=1.npy"]),
    (PLAN + ["--input=w=good.npy"], ["--input for w", "8x3x3x8", "1x4x5x8"]),
    (PLAN + ["--expect=random"], ["--expect: expected PATH.npy or PATH.npz:KEY, got 'random'"]),
    (PLAN + ["--expect=dy=good.npy"], ["--expect: expected one of y", "'dy'"]),
    (PLAN + ["--output=y=a.txt"], ["--output: expected PATH.npy, got 'a.txt'"]),
    (PLAN + ["--output=absent/a.npy"], ["absent"]),
    (PLAN + ["--output=folder.npy"], ["it is a folder"]),
    # Files.
    (["absent.plan"], ["absent.plan", "No such file"]),
    (["empty.plan"], ["empty.plan"]),
    (["magic.plan"], ["magic.plan"]),
    (["version.plan"], ["version.plan", "version"]),
    (["flipped.plan"], ["flipped.plan"]),
    (["trailing.plan"], ["trailing.plan"]),
    (["text.plan"], ["text.plan"]),
    (["flipped.plan", "--describe"], ["flipped.plan"]),
    *tensor(["absent.npy"], "absent.npy"),
    *tensor(["empty.npy"], "empty.npy"),
    *tensor(["header.npy"], "header.npy"),
    *tensor(["short.npy"], "short.npy"),
    *tensor(["1x4x5x8", "1x5x4x8"], "shape.npy"),
    *tensor(["huge.npy"], "huge.npy"),
    *tensor(["complex.npy"], "complex.npy"),
    *tensor(["notzip.npz"], "notzip.npz:x"),
]
