"""Stands in for a source archive's build system while pip only downloads it; see download() in fetch_archives.py."""
