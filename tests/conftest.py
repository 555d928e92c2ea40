"""One thread a process: workers do not fight over cores, and sums come out the same everywhere."""

import os

import torch
from threadpoolctl import threadpool_limits

torch.set_num_threads(1)
threadpool_limits(limits=1)
# For libraries loaded later, which that limit does not reach: scikit-learn brings an OpenMP of its own.
os.environ["OMP_NUM_THREADS"] = "1"

# Here and not beside the tests of the plugin: pytest takes plugins from the first conftest it reads only.
pytest_plugins = ["pytester"]
