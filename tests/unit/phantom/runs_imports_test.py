#!/usr/bin/env python3
"""What runs that are forked share of the first: runs_imports_test.py FOLDER_OF_RUNS."""

import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, sys.argv.pop(1))
sys.modules["torch"] = types.SimpleNamespace(cuda=types.SimpleNamespace(_is_in_bad_fork=lambda: False))
import runs  # noqa: E402

# Each imports the other; where `of` comes first, what it imports of `whole` stays, and `whole` cannot be imported any more.
WHOLE = "import whole{0}.inner\nname = 1\nfrom of{0} import other\nwhole{0}.inner\n"
OF = "from whole{0} import name\nother = 2\n"


class Imports(unittest.TestCase):
    def test_packages_are_imported_in_the_order_of_the_first_run(self):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for number in map(str, range(12)):
                package = Path(folder) / f"whole{number}"
                package.mkdir()
                (package / "__init__.py").write_text(WHOLE.format(number))
                (package / "inner.py").touch()
                (Path(folder) / f"of{number}.py").write_text(OF.format(number))
                names += [f"whole{number}", f"whole{number}.inner", f"of{number}"]
            sys.path.insert(0, folder)
            self.addCleanup(sys.path.remove, folder)
            self.assertTrue(runs.import_all(names))
        self.assertEqual([name for name in names if name not in sys.modules], [])

    def test_a_run_that_ended_early_does_not_say_all_that_the_others_need(self):
        ordered = {"runs": [{"value": 1}, {"value": 2}], "at_once": 1}
        for sentence in ("", "Tried to allocate 2.00 GiB."):
            answer = {"allocator": {}, "modules": [], "sentence": sentence}
            with mock.patch.multiple(runs, start=lambda *_: (0, 0, 0), tell=mock.DEFAULT, answer_of=lambda *_, told=answer: told) as replaced:
                others, is_all = runs.warm_up({}, ordered)
            replaced["tell"].assert_called_once_with(answer)
            self.assertEqual([{"value": 2}], others["runs"])
            self.assertEqual(sentence == "", is_all)


if __name__ == "__main__":
    unittest.main()
