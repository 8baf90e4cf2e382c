"""check.py finds what it is there to find: each case is a small tree with one fault, and the same tree without it."""

import pathlib
import tempfile
import unittest

import check
import check_headers
import rules


def problems(files):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        return list(check.problems_in(root))


class Includes(unittest.TestCase):
    def test_lower_layers_may_be_included(self):
        self.assertEqual([], problems({
            "profiler/timeline/store.cpp": '#include "profiler/events/event.h"\n#include <vector>\n',
            "app/gui/panels/timeline/timeline.cpp": '#include "app/presenters/plot/timeline_plot.h"\n#include <imgui.h>\n',
            "profiler/training/model.cpp": "#include <torch/nn/module.h>\n",
            "tests/unit/trace/tide_test.cpp": '#include "profiler/trace/tide.h"\n#include "tests/support/catch.h"\n'}))

    def test_a_higher_layer_is_named_with_its_line(self):
        found = problems({"profiler/events/event.cpp": '#include <vector>\n#include "profiler/timeline/store.h"\n'})
        self.assertEqual(1, len(found))
        self.assertTrue(found[0].startswith('profiler/events/event.cpp:2: #include "profiler/timeline/store.h"'), found)

    def test_forbidden_edges(self):
        for folder, line in [("profiler/networks", '#include "profiler/timeline/store.h"'),
                             ("profiler/session", '#include "profiler/training/model.h"'),
                             ("profiler/trace", '#include "profiler/session/run.h"'),
                             ("app/presenters", '#include "app/gui/scene/scene.h"'),
                             ("app/cli", '#include "app/gui/scene/scene.h"'),
                             ("app/gui/widgets", '#include "app/gui/panels/timeline/timeline.h"'),
                             ("profiler/base", '#include "tests/support/catch.h"'),
                             ("profiler/base", '#include "format.h"'),
                             ("profiler/new_folder", '#include "profiler/base/format.h"'),
                             ("profiler/session", "#include <torch/torch.h>"),
                             ("profiler/timeline", "  #  include <ATen/Context.h>"),
                             ("tests/unit/trace", "#include <c10/core/Device.h>"),
                             ("app/presenters", "#include <imgui.h>"),
                             ("profiler/session", "#include <cuda_runtime.h>"),
                             ("tests/unit/trace", "#include <catch2/catch.hpp>")]:
            with self.subTest(folder=folder, line=line):
                self.assertEqual(1, len(problems({f"{folder}/a.cpp": line + "\n"})))

    def test_the_table_has_no_circles(self):
        inside_the_window = {"app/gui"}  # its root, panels and shell are one target
        for folder, others in rules.MAY_INCLUDE.items():
            for other in others - inside_the_window:
                back = rules.MAY_INCLUDE.get(check.ruled_folder(other), set())
                self.assertNotIn(folder, back - {check.ruled_folder(other)}, f"{folder} and {other} include each other")


class Links(unittest.TestCase):
    TREE = {"profiler/base/CMakeLists.txt": "tidemark_library(base SOURCES a.cpp)\n",
            "profiler/events/CMakeLists.txt": "tidemark_library(events SOURCES a.cpp LINKS tidemark_base)\n",
            "profiler/trace/CMakeLists.txt": "tidemark_library(trace\n  SOURCES a.cpp\n  LINKS tidemark_events)\n",
            "profiler/trace/a.cpp": '#include "profiler/base/format.h"\n'}

    def test_links_through_others_count(self):
        self.assertEqual([], problems(self.TREE))

    def test_an_include_without_a_link(self):
        without = dict(self.TREE, **{"profiler/trace/CMakeLists.txt": "tidemark_library(trace SOURCES a.cpp)\n"})
        self.assertEqual(1, len(problems(without)))

    def test_sources_of_another_folder_count_as_a_link(self):
        along = 'add_library(trace a.cpp)\ntidemark_sources_of(profiler/%s others b.cpp)\n'
        self.assertEqual([], problems(dict(self.TREE, **{"profiler/trace/CMakeLists.txt": along % "base"})))
        forbidden = dict(self.TREE, **{"profiler/trace/CMakeLists.txt": along % "base" + along % "phantom/cards"})
        self.assertEqual(1, len(problems(forbidden)))

    def test_a_link_that_the_table_forbids(self):
        upward = dict(self.TREE, **{"profiler/base/CMakeLists.txt": "tidemark_library(base SOURCES a.cpp)\n"
                                                                   "target_link_libraries(tidemark_base PRIVATE tidemark_trace)\n"})
        self.assertEqual(1, len(problems(upward)))


class Tree(unittest.TestCase):
    def test_long_files(self):
        self.assertEqual([], problems({"app/cli/a.cpp": "\n" * rules.LONGEST_FILE_LINES}))
        self.assertEqual(1, len(problems({"app/cli/a.cpp": "\n" * (rules.LONGEST_FILE_LINES + 1)})))

    def test_words_that_no_table_translates(self):
        for call in ['ImGui::Selectable("synthetic", on)', 'ImGui::InputTextWithHint("##a", "A name", b, 1)', "ImGui::Button(name)"]:
            self.assertEqual(1, len(problems({"app/gui/panels/a.cpp": call})), call)
            self.assertEqual([], problems({"app/gui/widgets/a.cpp": call}))
        self.assertEqual([], problems({"app/gui/panels/a.cpp": 'ImGui::Selectable("##row", on)'}))

    def test_addresses_and_paths_of_one_machine(self):
        address, home = "https:" + "//example.org/x", "/ho" + "me/somebody/x"
        self.assertEqual(1, len(problems({"cmake/a.cmake": f"set(x {address})\n"})))
        self.assertEqual([], problems({"assets/cards/a.json": f'{{"source": "{address}"}}\n'}))
        self.assertEqual(1, len(problems({"run": f"cd {home}\n"})))
        self.assertEqual([], problems({"run": 'cd "$root/home/x"\n'}))

    def test_pages_point_to_what_is_there(self):
        for link in ["[a](app/README.md)", "[a](app/README.md#what-it-is)", "[a](#here)", "`app/README.md`", "`app/a` measures"]:
            tree = {"README.md": f"# Here\n{link}\n", "app/README.md": "## What it is\n", "app/a.cpp": ""}
            self.assertEqual([], problems(tree), link)
            for lacking in ({"README.md": f"{link}\n"}, {**tree, "README.md": f"{link.replace('app/', 'app/b/').replace('#', '#b')}\n"}):
                self.assertEqual(1, len(problems(lacking)), link)

    def test_folders_that_nobody_is_told_of(self):
        tree = {"profiler/base/CMakeLists.txt": "tidemark_library(base SOURCES a.cpp)\n", "README.md": "`profiler/base` is below all\n"}
        self.assertEqual([], problems({**tree, "profiler/base/a.cpp": ""}))
        self.assertEqual(1, len(problems({**tree, "README.md": "what it is for\n"})))

    def test_folders_that_the_stand_ins_are_made_of(self):
        cache = {"profiler/phantom/programs/stand_in_cache.cpp": '"profiler/phantom/device",', "profiler/phantom/device/a.cpp": ""}
        self.assertEqual([], problems(cache))
        self.assertEqual(1, len(problems({**cache, "profiler/phantom/cards/a.cpp": ""})))


class Headers(unittest.TestCase):
    def test_headers_of_the_machine(self):
        noted = ("a.o: #deps 4, deps mtime 1 (VALID)\n    /usr/include/c++/12/vector\n    /src/.deps/site/torch/include/c10/a.h\n"
                 "    /usr/local/include/cusparse.h\n    /opt/cuda/include/nv/target\n    profiler/base/cudart_like.h\n")
        self.assertEqual(["/opt/cuda/include/nv/target", "/usr/local/include/cusparse.h"],
                         check_headers.foreign_headers(noted, [pathlib.PurePath("/src")]))


if __name__ == "__main__":
    unittest.main()
