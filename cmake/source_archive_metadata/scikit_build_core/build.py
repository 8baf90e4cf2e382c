"""pip's one question about a source archive that it downloads: its metadata. The answer is what was asked for."""

import os
import pathlib


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    name, version = os.environ["TIDEMARK_REQUIREMENT"].split("==")
    folder = f"{name.replace('-', '_')}-{version}.dist-info"
    path = pathlib.Path(metadata_directory) / folder
    path.mkdir()
    (path / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    return folder
