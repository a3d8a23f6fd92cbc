"""The documentation site: contents, generated pages, Sphinx's configuration, links."""
