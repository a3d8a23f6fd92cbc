"""The parts of models.py.

    catalogue    which networks, their inputs and batches
    vae_decoder, unet3d, video_vae, speech    networks that torchvision does not have
    subjects     what is measured, in the order of importance
    steps        a network with its inputs: a step of training or of inference, captured
    contest      PyTorch's kernels and ours, in turns
    losses, verdict  whether both train alike
    serving      the process that has the GPU: requests in, rows out
    session      a process for each subject, within a limit of time
    table, chart rows as text, JSON and SVG
    options      the command line
"""
