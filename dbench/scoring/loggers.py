"""Where a ``Watch`` writes what it sees: TensorBoard, Weights & Biases, the Trainer of Hugging Face.

The first two libraries are handed over and never imported, the third when it is asked for.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from dbench.errors import InvalidInput

if TYPE_CHECKING:
    from dbench.scoring.watch import Watch

Log = Callable[[Mapping[str, float], int], None]


def to_tensorboard(writer: Any, prefix: str = "dbench/") -> Log:
    """Return what writes scores as scalars: ``Watch(data, log=to_tensorboard(SummaryWriter()))``.

    Args:
        writer: a ``torch.utils.tensorboard.SummaryWriter``, or whatever has its ``add_scalar(name, value, step)``.
        prefix: what stands before the name of each metric.

    Raises:
        InvalidInput: no such writer.
    """
    add_scalar = _method("writer", writer, "add_scalar")

    def log(scores: Mapping[str, float], step: int) -> None:
        for name, value in scores.items():
            add_scalar(prefix + name, value, step)

    return log


def to_wandb(run: Any, prefix: str = "dbench/") -> Log:
    """Return what logs scores to Weights & Biases: ``Watch(data, log=to_wandb(wandb.init()))``.

    A run takes steps in rising order, so log with the same steps as the training does.

    Args:
        run: a run of wandb, or whatever has its ``log(values, step=...)``.
        prefix: what stands before the name of each metric.

    Raises:
        InvalidInput: no such run.
    """
    write = _method("run", run, "log")

    def log(scores: Mapping[str, float], step: int) -> None:
        write({prefix + name: value for name, value in scores.items()}, step=step)

    return log


def trainer_callback(watch: "Watch", encoder: Callable[[Any], Any]) -> Any:
    """Return a callback of Hugging Face's Trainer: ``Trainer(..., callbacks=[trainer_callback(watch, encoder)])``.

    The watch is asked after each step of the optimiser; what it sees also stands among the trainer's own logs.

    Args:
        watch: says how often, and what.
        encoder: takes the model that is trained and returns its encoder, as ``operator.attrgetter("encoder")`` does.

    Raises:
        InvalidInput: transformers is not installed.
    """
    try:
        from transformers import TrainerCallback
    except ModuleNotFoundError:
        raise InvalidInput("trainer_callback needs transformers: pip install 'dbench[huggingface]'") from None

    class Scored(TrainerCallback):  # type: ignore[misc, unused-ignore]
        def on_step_end(self, args: Any, state: Any, control: Any, model: Any = None, **others: Any) -> None:
            if scores := watch(encoder(model), state.global_step):
                state.log_history.append({"step": state.global_step, **scores})

    return Scored()


def _method(what: str, owner: Any, name: str) -> Callable[..., Any]:
    found = getattr(owner, name, None)
    if not callable(found):
        raise InvalidInput(f"{what} must have a method {name}, got {type(owner).__name__}")
    method: Callable[..., Any] = found
    return method
