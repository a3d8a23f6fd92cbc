"""The grid of JAX's test of general convolutions: its cases, the StableHLO that
JAX prints for them, and what they mean."""
