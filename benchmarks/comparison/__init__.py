"""The parts of compare_cudnn.py.

    suite        rows of a suite file -> problem lines
    compiling    problem lines -> plan files, in parallel processes
    supervisor   a process with the GPU, which may die without loss
    serving      that process: requests in, results out
    measuring    one row: verified, then timed; timing has the arithmetic
    torch_backend  what of it needs PyTorch and a GPU
    clocks       what the device's clocks were meanwhile
    report, plots  tables, JSON, SVG
"""
