"""The folder that Sphinx reads: documents, what they link to, generated pages, and
the first page once more, with the contents.

Input: the repository and pages of `reference.py`. Output: a folder in which each document
lies where it lies in the repository, so that its links lead to the same files.
"""

import os
import pathlib
import re
import shutil

from . import contents

#: The first page of the repository, which is that of the site, too.
FIRST = "README.md"
#: Only links lead to such a page, and no contents: Sphinx wants to be told.
ORPHAN = "---\norphan: true\n---\n\n"


def write_sources(root, folder, pages):
    root, folder = pathlib.Path(root), pathlib.Path(folder)
    documents = contents.list_files(root, "*.md")
    sections = contents.get_sections([*documents, *pages])
    shutil.rmtree(folder, ignore_errors=True)
    for name in documents:
        _write(folder / name, _prepare(root, folder, name))
    for name, text in pages.items():
        _write(folder / name, text)
    first = (folder / FIRST).read_text()
    _write(folder / FIRST, ORPHAN + first)
    trees = [_make_tree(*section) for section in sections.items()]
    _write(folder / "index.md", first + "".join(trees))


def find_targets(text):
    """Files and folders to which a document links, without their anchors."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text))
    targets = (link.partition("#")[0] for link in links if not re.match(r"[a-z]+:", link))
    return sorted(set(filter(None, targets)))


def _prepare(root, folder, name):
    """The text of a page, for which there is what it links to."""
    text = (root / name).read_text()
    if not text.startswith("# "):
        # Measurements as a program printed them: the name of the file says what they are.
        text = f"# {pathlib.PurePath(name).stem}\n\n{text}"
    for target in find_targets(text):
        path = os.path.normpath(os.path.join(os.path.dirname(name), target))
        if (root / path).is_dir():
            page = _get_folder_page(root, folder, path)
            text = text.replace(f"]({target})", f"]({target.rstrip('/')}/{page})")
        elif not path.endswith(".md"):
            _copy(root, path, folder)
    return text


def _get_folder_page(root, folder, name):
    """The page of a folder, as the forge shows one: its README.md, or else its files."""
    if (root / name / "README.md").is_file():
        return "README.md"
    files = contents.list_files(root, name)
    for file in files:
        _copy(root, file, folder)
    links = [os.path.relpath(file, name) for file in files]
    head = f"{ORPHAN}# {name}\n\n"
    _write(folder / name / "index.md", head + "".join(f"- [{link}]({link})\n" for link in links))
    return "index.md"


def _copy(root, name, folder):
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(root / name, folder / name)


def _make_tree(title, names):
    """Contents at the side of each page; the first page has them nowhere else."""
    names = "\n".join(name for name in names if name != FIRST)
    return f"\n```{{toctree}}\n:caption: {title}\n:hidden:\n\n{names}\n```\n"


def _write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
