"""The command line."""

import errno
import importlib
import io
import sys
from typing import IO, Any

import click

from dbench import __version__
from dbench.errors import DbenchError, refused
from dbench.shown import one_line

_LONGEST = 4000  # most characters of a message: a value in it may be a whole file
_GROUPS = {
    "audit": ("dbench.audit.commands:audit", "Ask a metric, yours or ours, about counterexamples and properties."),
    "claims": ("dbench.claims_commands:claims", "Judge the findings; what one says and what came out; freeze rules."),
    "compare": ("dbench.scoring.commands:compare", "Are two models' scores apart, and by more than a seed moves?"),
    "data": ("dbench.data.commands:data", "The data sets; fetch those that others published."),
    "errata": ("dbench_published.errata.commands:errata", "Printed figures that do not follow, recomputed."),
    "figures": ("dbench_published.figures.commands:figures", "The papers' figures, drawn from evidence."),
    "metrics": ("dbench.metrics.commands:metrics", "The metrics and their cards."),
    "rank": ("dbench.zoo.rank_command:rank", "A metric of yours on trained models, beside ours."),
    "report": ("dbench.report.commands:report", "What changed between two reports, and the history of many."),
    "score": ("dbench.scoring.commands:score", "Score your own codes with every metric."),
    "udr": ("dbench.scoring.udr_command:udr", "Rank models by their codes alone, without factors."),
    "zoo": ("dbench.zoo.commands:zoo", "Train, score and check the models that findings are judged on."),
}
"""Name -> where the command is and its line of help, so that ``dbench --help`` imports none of the commands."""


class _OneLine(click.ClickException):
    """A message for the user: one red line, exit code 2."""

    exit_code = 2

    def show(self, file: IO[Any] | None = None) -> None:
        click.secho(f"dbench: {self.format_message()}", fg="red", err=True, file=file)


def _short(error: DbenchError) -> str:
    """Return the message on one line, cut where it is very long."""
    text = one_line(str(error))
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


class _Root(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(_GROUPS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _GROUPS:
            return None
        module, _, name = _GROUPS[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in sorted(_GROUPS.items())])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; the only place where an error becomes one line for the user."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # an ASCII terminal loses an arrow, not the whole table
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            click.echo("dbench: stopped", err=True)
            ctx.exit(130)
        except DbenchError as error:
            raise _OneLine(_short(error)) from None
        except OSError as error:
            if error.errno == errno.EPIPE:  # a closed pipe, as after '| head': click ends silently
                raise
            raise _OneLine(one_line(refused(error))) from None


@click.group(cls=_Root, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="dbench")
def main() -> None:
    """Executable claims about disentangled representations."""
