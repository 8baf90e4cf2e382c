"""As scikit_build_core beside it, for archives that name this build system."""

from scikit_build_core.build import prepare_metadata_for_build_wheel  # noqa: F401
