"""Whether the links between pages of a site lead somewhere.

Input: a folder of HTML. Output: a line for each link to a file or an anchor that there is not.
"""

import html.parser
import os
import pathlib
import urllib.parse


class _Page(html.parser.HTMLParser):
    """The links of a page, and the anchors that it has."""

    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = set(), {""}
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.anchors.add(value)
            elif name in ("href", "src") and value is not None:
                self.links.add(value)


def find_broken(folder):
    folder = pathlib.Path(folder)
    files = {str(file.relative_to(folder)): file for file in folder.rglob("*.html")}
    pages = {name: _Page(file.read_text()) for name, file in files.items()}
    for name, page in sorted(pages.items()):
        for link in sorted(page.links):
            if why := _why_broken(folder, pages, name, link):
                yield f"{name}: {link}: {why}"


def _why_broken(folder, pages, name, link):
    url = urllib.parse.urlsplit(link)
    if url.scheme or url.netloc:
        return None
    path = urllib.parse.unquote(url.path)
    target = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
    if not (folder / target).is_file():
        return f"there is no file {target}"
    anchor = urllib.parse.unquote(url.fragment)
    if target in pages and anchor not in pages[target].anchors:
        return f"{target} has no anchor {anchor}"
    return None
