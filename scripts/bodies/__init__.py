"""Random functions of linalg, and what their text means."""
