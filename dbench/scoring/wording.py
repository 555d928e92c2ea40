"""Messages name options as the command line has them; who calls from Python is told of arguments."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

from dbench.errors import DbenchError

_PHRASES = (
    ("--encoder and --data", "source= (such as a FunctionSource)"),
    ("an array 'logvar' or 'std' beside the codes (.npz)", "logvar= or std= (n x d)"),
    ("--rows changes how many", "rows= of dbench.codes.reading.read_codes changes how many"),
)
_NAMED = re.compile(r"with (--(?:codes|factors) (?!and\b)\w\S*(?: --factors \S+)?)")
_ONE = re.compile(r"--(\w+) (\S+)")
_BARE = re.compile(r"--([a-z]+)(?: (?=\d))?")


def in_python(text: str) -> str:
    """Return a message with arguments in place of options.

    Example:
        >>> in_python("name under --continuous what is not; say which is which with --codes z")
        "name under continuous= what is not; say which is which with dbench.codes.reading.read_codes(..., codes='z')"
    """
    for option, argument in _PHRASES:
        text = text.replace(option, argument)
    text = _NAMED.sub(lambda match: f"with dbench.codes.reading.read_codes(..., {_arguments(match[1])})", text)
    return _BARE.sub(r"\1=", text)


def _arguments(options: str) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in _ONE.findall(options))


@contextmanager
def python_messages() -> Iterator[None]:
    """Raise what is raised inside with the words of :func:`in_python`."""
    try:
        yield
    except DbenchError as error:
        message = in_python(str(error))
        if message == str(error):
            raise
        raise type(error)(message) from None
