"""Settings of Sphinx for the site; ``build.py`` calls it with the folder that it has put together.

Everything a page needs lies in the site: it is read without a network, too.
"""

from __future__ import annotations

project = "unisycl"
author = "the authors of unisycl"
root_doc = "docs/index"
extensions = ["myst_nb", "sphinx_copybutton"]
html_theme = "furo"
html_title = "unisycl"
html_favicon = "favicon.svg"
html_show_sphinx = False
html_static_path: list[str] = []
templates_path = ["templates"]
html_sidebars = {"**": [f"sidebar/{part}.html" for part in (
    "brand", "search", "versions", "scroll-start", "navigation", "scroll-end")]}
exclude_patterns = ["**/.ipynb_checkpoints"]
myst_heading_anchors = 4
myst_enable_extensions = ["attrs_inline"]
nb_execution_mode = "force"
nb_execution_timeout = 300
nb_execution_raise_on_error = True
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
suppress_warnings = [
    "myst.header",  # pages that begin below a heading of the first level are read alone, too
    "misc.highlighting_failure",  # texts in the kernels' languages that Pygments half knows
]
