"""Hook of mkdocs: links from docs/ to other files of the checkout lead to the repository, since the site lacks them."""

import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Any) -> str:
    """Rewrite links that leave docs/ for a file that exists; mkdocs refuses links to files that do not.

    Where the repository's address is not known (``DBENCH_REPOSITORY``), only the words of the link are kept.
    """
    folder = (Path(config["docs_dir"]) / page.file.src_uri).parent

    def rewritten(link: re.Match[str]) -> str:
        words, target = link.groups()
        path = (folder / target).resolve()
        if not path.exists() or not path.is_relative_to(ROOT) or path.is_relative_to(config["docs_dir"]):
            return link[0]
        address = str(config["repo_url"] or "").rstrip("/")
        return f"[{words}]({address}/blob/HEAD/{path.relative_to(ROOT).as_posix()})" if address else words

    return re.sub(r"\[([^\]]*)\]\((\.\./[^)#\s]+)\)", rewritten, markdown)
