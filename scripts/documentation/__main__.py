"""What scripts/docs.sh runs: writes the sources, has Sphinx make the site, checks its links.

    python -m documentation --tblgen=PROGRAM --mlir-include=FOLDER [--conv-run=PROGRAM] FOLDER

Status 0: the site is in FOLDER/html; 1: Sphinx warned, or a link leads nowhere; 2: a page
could not be made.
"""

import argparse
import pathlib
import subprocess
import sys

from sphinx.cmd.build import main as run_sphinx

from . import links, reference, sources, stages

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]


def _fail(status, text):
    print(f"error: {text}", file=sys.stderr)
    return status


def main():
    parser = argparse.ArgumentParser(prog="documentation")
    parser.add_argument("--tblgen", required=True)
    parser.add_argument("--mlir-include", required=True)
    parser.add_argument("--conv-run", help="makes the pages of stages; without it there are none")
    parser.add_argument("folder", type=pathlib.Path)
    given = parser.parse_args()
    source, html = given.folder / "source", given.folder / "html"
    try:
        pages = reference.make_pages(ROOT, given.tblgen, given.mlir_include)
        pages |= stages.make_page(given.conv_run)
        sources.write_sources(ROOT, source, pages)
    except subprocess.CalledProcessError as error:
        return _fail(2, f"{' '.join(error.cmd)}: {error.stderr.strip()}")
    except (OSError, ValueError) as error:
        return _fail(2, error)
    # All pages anew: the sources are, and a page that is left out should not stay.
    if run_sphinx(["-q", "-E", "-W", "--keep-going", "-c", str(HERE), str(source), str(html)]):
        return _fail(1, "Sphinx had warnings (above)")
    if given.conv_run:
        try:
            stages.write_kernels(given.conv_run, html)
        except (OSError, subprocess.CalledProcessError) as error:
            return _fail(2, f"{error}: {getattr(error, 'stderr', '').strip()}")
    broken = list(links.find_broken(html))
    if broken:
        return _fail(1, "links that lead nowhere:\n" + "\n".join(broken))
    count = sum(1 for _ in html.rglob("*.html"))
    print(f"{count} pages, every link between them checked: {html}/index.html")
    return 0


sys.exit(main())
