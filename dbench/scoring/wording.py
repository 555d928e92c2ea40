"""Reword messages for Python callers: messages name options of the command line, callers have arguments."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from dbench.errors import DbenchError

_PHRASES = (
    ("--encoder and --data", "source= (such as a FunctionSource)"),
    ("an array 'logvar' or 'std' beside the codes (.npz)", "logvar= or std= (n x d)"),
    ("--rows changes how many", "rows= of dbench.codes.reading.read_codes changes how many"),
)
_READING = re.compile(r"with (--(?:codes|factors) (?!and\b)\w\S*(?: --factors \S+)?)")
_OPTION_WITH_VALUE = re.compile(r"--(\w+) (\S+)")
_OPTION_ALONE = re.compile(r"--([a-z]+)(?: (?=\d))?")


def in_python(text: str) -> str:
    """Return a message in which Python arguments replace options of the command line.

    Example:
        >>> in_python("name under --continuous what is not; say which is which with --codes z")
        "name under continuous= what is not; say which is which with dbench.codes.reading.read_codes(..., codes='z')"
    """
    for option, argument in _PHRASES:
        text = text.replace(option, argument)
    text = _READING.sub(lambda match: f"with dbench.codes.reading.read_codes(..., {_arguments(match[1])})", text)
    return _OPTION_ALONE.sub(r"\1=", text)


def _arguments(options: str) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in _OPTION_WITH_VALUE.findall(options))


@contextmanager
def python_messages() -> Iterator[None]:
    """Reword the messages of errors raised inside by :func:`in_python`."""
    try:
        yield
    except DbenchError as error:
        message = in_python(str(error))
        if message == str(error):
            raise
        raise type(error)(message) from None
