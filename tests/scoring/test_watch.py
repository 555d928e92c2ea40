"""Scores while a model trains, in a plain torch loop and in Lightning."""

import sys
import time
from types import SimpleNamespace

import pytest
import torch
from threadpoolctl import threadpool_info
from torch.utils.data import DataLoader

from dbench.data import load, torch_dataset
from dbench.errors import InvalidInput, UnknownName
from dbench.scoring import Watch, score
from dbench.scoring.encoders import encode_data
from dbench.scoring.watch import to_tensorboard, to_wandb, trainer_callback

DATA = load("dsprites_grid_16")


def encoder_of_two_codes() -> torch.nn.Sequential:
    """Codes that vary: of codes that hardly do FactorVAE is 0, and asks no more."""
    encoder = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(256, 2))
    torch.nn.init.normal_(encoder[1].weight)
    return encoder


def test_every_so_many_steps_the_encoder_as_it_is_then_is_scored():
    encoder, watch = encoder_of_two_codes(), Watch(DATA, metrics=["sap[r2]"], every=10, rows=500)
    for step in range(11):
        torch.nn.init.normal_(encoder[1].weight)
        scores = watch(encoder, step)
        assert bool(scores) == (step % 10 == 0)
    first, last = watch.history
    assert (first["step"], last["step"]) == (0, 10)
    assert first["sap[r2]"] != last["sap[r2]"] == scores["sap[r2]"]
    found, source = encode_data(encoder, DATA, rows=500)
    assert scores["sap[r2]"] == score(found, source=source, metrics=["sap[r2]"], repeats=0)["sap[r2]"]


def test_what_cannot_be_watched_is_said_before_training():
    with pytest.raises(UnknownName, match="did you mean 'mig'"):
        Watch(DATA, metrics=["migg"])
    for data, options, message in (
        (DATA, {"every": 0}, "every must be an integer of at least 1, got 0"),
        (DATA, {"every": 2.5}, "every must be an integer of at least 1, got 2.5"),
        (DATA, {"rows": "9"}, "rows must be an integer of at least 1, got '9'"),
        (DATA, {"metrics": []}, "metrics must name at least one, got none"),
        (DATA, {"metrics": ["mig", "udr"]}, "must be of the codes of one model, got 'udr', which compares several"),
        (3, {}, "data must be a data set or the name of one, got 3"),
    ):
        with pytest.raises(InvalidInput, match=message):
            Watch(data, **options)


def test_metrics_that_intervene_look_the_whole_small_grid_up_whatever_rows_is():
    encoder, asked = encoder_of_two_codes(), []

    def encode(images):
        asked.append(len(images))
        return encoder(torch.from_numpy(images)).detach().numpy()

    few, all_ = Watch(DATA, metrics=["factor_vae", "mig"], rows=500), Watch(DATA, metrics=["factor_vae"], rows=50_000)
    scores = few(encode, 0)
    assert sum(asked) < 600 + len(DATA.grid())  # 1.3 million, where it is asked for each intervention
    assert scores["factor_vae"] == all_(encode, 0)["factor_vae"] > 0
    assert scores["mig"] == Watch(DATA, metrics=["mig"], rows=500)(encode, 0)["mig"]
    assert "irs[crossed]" in Watch(DATA, metrics="irs[crossed]", rows=500)(encode, 0)


def test_a_call_computes_in_one_thread_and_leaves_the_others_as_they_were(monkeypatch):
    seen = []

    def counted(*given, **options):
        seen.append({pool["num_threads"] for pool in threadpool_info()})
        return score(*given, **options)

    before = [pool["num_threads"] for pool in threadpool_info()]
    monkeypatch.setattr("dbench.scoring.watch.score", counted)
    Watch(DATA, metrics="mig", rows=500)(encoder_of_two_codes(), 0)
    assert seen == [{1}]
    assert [pool["num_threads"] for pool in threadpool_info()] == before


@pytest.mark.long
def test_factor_vae_takes_less_than_two_seconds():
    watch, encoder = Watch(DATA, metrics="factor_vae", rows=2_000), encoder_of_two_codes()
    times = []
    for step in range(2):  # the first also loads what the other has; the machine may be busy
        start = time.process_time()
        watch(encoder, step)
        times.append(time.process_time() - start)
    assert min(times) < 2


def test_what_is_seen_is_logged_with_its_step():
    logged = []
    run = SimpleNamespace(log=lambda values, step: logged.append((step, values)))
    watch = Watch(DATA, metrics="sap[r2]", rows=500, every=2, log=to_wandb(run))
    for step in range(3):
        watch(encoder_of_two_codes(), step)
    assert logged == [(entry["step"], {"dbench/sap[r2]": entry["sap[r2]"]}) for entry in watch.history]
    with pytest.raises(InvalidInput, match="run must have a method log, got int"):
        to_wandb(3)
    with pytest.raises(InvalidInput, match="writer must have a method add_scalar, got SimpleNamespace"):
        to_tensorboard(run)


def test_tensorboard_shows_what_a_watch_sees(tmp_path):
    pytest.importorskip("tensorboard", reason="the extra 'training' (tensorboard) is not installed")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from torch.utils.tensorboard import SummaryWriter

    with SummaryWriter(tmp_path) as writer:
        watch = Watch(DATA, metrics="sap[r2]", rows=500, log=to_tensorboard(writer))
        for step in (0, 7):
            watch(encoder_of_two_codes(), step)
    events = EventAccumulator(str(tmp_path)).Reload().Scalars("dbench/sap[r2]")
    assert [event.step for event in events] == [0, 7]
    assert [event.value for event in events] == pytest.approx([entry["sap[r2]"] for entry in watch.history])


@pytest.mark.filterwarnings("ignore")  # what wandb imports warns of what it will drop
def test_a_run_of_wandb_holds_what_a_watch_sees(tmp_path):
    wandb = pytest.importorskip("wandb", reason="the extra 'training' (wandb) is not installed")
    run = wandb.init(mode="offline", dir=tmp_path, settings=wandb.Settings(silent=True))
    watch = Watch(DATA, metrics="sap[r2]", rows=500, log=to_wandb(run))
    for step in (3, 4):
        watch(encoder_of_two_codes(), step)
    assert run.summary["dbench/sap[r2]"] == watch.history[0]["sap[r2]"]  # a step is complete when the next begins
    run.finish()


@pytest.mark.filterwarnings("ignore")  # transformers warns of what torch will drop
def test_the_trainer_of_hugging_face_asks_a_watch(tmp_path):
    transformers = pytest.importorskip("transformers", reason="the extra 'huggingface' (transformers) is not installed")
    pytest.importorskip("accelerate", reason="the extra 'huggingface' (accelerate) is not installed")

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.encoder = encoder_of_two_codes()

        def forward(self, images, factors):
            return {"loss": ((self.encoder(images) - factors[:, 3:] / 15) ** 2).mean()}

    watch = Watch(DATA, metrics="sap[r2]", rows=500, every=2)
    points = [
        {"images": images, "factors": factors} for images, factors in map(torch_dataset(DATA).__getitem__, range(64))
    ]
    options = {"report_to": [], "max_steps": 4, "save_strategy": "no", "use_cpu": True, "disable_tqdm": True}
    trainer = transformers.Trainer(
        Model(),
        transformers.TrainingArguments(str(tmp_path), **options),
        train_dataset=points,
        callbacks=[trainer_callback(watch, lambda model: model.encoder)],
    )
    trainer.train()
    assert [entry["step"] for entry in watch.history] == [2, 4]
    assert [entry for entry in trainer.state.log_history if "sap[r2]" in entry] == watch.history


def test_without_transformers_the_callback_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(InvalidInput, match=r"trainer_callback needs transformers: pip install 'dbench\[huggingface\]'"):
        trainer_callback(Watch(DATA), lambda model: model)


@pytest.mark.filterwarnings("ignore")  # Lightning warns of few workers, and of names that torch will drop
def test_lightning_logs_what_a_watch_sees(tmp_path):
    lightning = pytest.importorskip("lightning.pytorch", reason="the extra 'training' (lightning) is not installed")
    watch = Watch(DATA, metrics=["sap[r2]"], every=2, rows=500)

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.encoder = encoder_of_two_codes()

        def training_step(self, batch, index):
            images, factors = batch
            return ((self.encoder(images) - factors[:, 3:] / 15) ** 2).mean()

        def configure_optimizers(self):
            return torch.optim.Adam(self.parameters(), lr=1e-2)

    def log(trainer, module):
        module.log_dict(watch(module.encoder, trainer.current_epoch))

    callback = lightning.callbacks.LambdaCallback(on_train_epoch_end=log)
    options = {"logger": False, "enable_checkpointing": False, "enable_progress_bar": False, "accelerator": "cpu"}
    options |= {"default_root_dir": tmp_path}
    trainer = lightning.Trainer(max_epochs=3, limit_train_batches=5, callbacks=[callback], **options)
    trainer.fit(Module(), DataLoader(torch_dataset(DATA), batch_size=128, shuffle=True))
    assert [entry["step"] for entry in watch.history] == [0, 2]
    assert float(trainer.logged_metrics["sap[r2]"]) == pytest.approx(watch.history[-1]["sap[r2]"])


def test_a_metric_of_torchmetrics_scores_all_batches_at_once():
    pytest.importorskip("torchmetrics", reason="the extra 'training' (torchmetrics) is not installed")
    from dbench.metrics import mig
    from dbench.scoring.torch_metric import TorchMetric

    metric = TorchMetric("mig")
    codes, factors = torch.randn(300, 3, requires_grad=True), torch.randint(4, (300, 2))
    for start in range(0, 300, 100):
        metric.update(codes[start : start + 100], factors[start : start + 100])
    assert float(metric.compute()) == pytest.approx(float(mig(codes, factors)))
    metric.reset()
    metric.update(factors.float(), factors)
    assert float(metric.compute()) == pytest.approx(float(mig(factors.float(), factors)))
    assert metric.notes[0] == "Taken as discrete: factor_0, factor_1."
    said = {"continuous": "factor_1", "bins": 3}
    told = TorchMetric("mig", **said)
    told.update(codes, factors)
    assert float(told.compute()) == pytest.approx(float(mig(codes, factors, **said)))
    assert "Taken as continuous: factor_1." in told.notes
    with pytest.raises(InvalidInput, match="codes and factors alone, got 'factor_vae'"):
        TorchMetric("factor_vae")
    with pytest.raises(InvalidInput, match="options of mig must be among bins, corrected, generator, got bin"):
        TorchMetric("mig", bin=3)
    with pytest.raises(InvalidInput, match=r"equally many rows, got shapes \(300, 3\) and \(299, 2\)"):
        metric.update(codes, factors[1:])
