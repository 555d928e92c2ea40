"""Scores while a model trains, in a plain torch loop and in Lightning."""

import pytest
import torch
from torch.utils.data import DataLoader

from dbench.data import load, torch_dataset
from dbench.errors import InvalidInput, UnknownName
from dbench.scoring import Watch, score
from dbench.scoring.encoders import encode_data

DATA = load("dsprites_grid_16")


def encoder_of_two_codes() -> torch.nn.Sequential:
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(256, 2))


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


def test_a_string_is_one_metric():
    watch = Watch(DATA, metrics="sap[r2]", rows=500)
    assert list(watch(encoder_of_two_codes(), 0)) == ["sap[r2]"]


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
    with pytest.raises(InvalidInput, match="codes and factors alone, got 'factor_vae'"):
        TorchMetric("factor_vae")
    with pytest.raises(InvalidInput, match="options of mig must be among bins, corrected, generator, got bin"):
        TorchMetric("mig", bin=3)
    with pytest.raises(InvalidInput, match=r"equally many rows, got shapes \(300, 3\) and \(299, 2\)"):
        metric.update(codes, factors[1:])
