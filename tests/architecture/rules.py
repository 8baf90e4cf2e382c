"""Who may include whom, and what else holds for the tree as a whole. check.py applies it; change it together with README.md."""

BASE = {"profiler/base"}
EVENTS = BASE | {"profiler/events"}
MODELS = EVENTS | {"profiler/timeline", "profiler/networks"}

# What a folder may include besides itself. A folder that is not named here takes the rules of the one around it.
# base <- events <- {timeline, networks} <- {textbook, trace, capture, session, phantom} <- advice <- presenters <- {cli, gui} <- app
MAY_INCLUDE = {
    "profiler/base": set(),
    "profiler/events": BASE,
    "profiler/timeline": EVENTS,
    "profiler/networks": EVENTS,
    "profiler/textbook": MODELS,
    "profiler/trace": EVENTS | {"profiler/timeline"},
    "profiler/trace/exporters": EVENTS | {"profiler/networks", "profiler/timeline", "profiler/trace"},
    "profiler/trace/importers": EVENTS | {"profiler/timeline", "profiler/trace"},
    "profiler/capture/transport": EVENTS | {"profiler/networks"},
    "profiler/capture/gates": EVENTS | {"profiler/phantom"},
    "profiler/capture/stream": EVENTS | {"profiler/capture/transport"},
    "profiler/capture/stacks": EVENTS | {"profiler/capture/stream"},
    "profiler/capture/cupti": EVENTS | {"profiler/capture/stacks", "profiler/capture/stream", "profiler/phantom"},
    "profiler/capture/nvml": EVENTS | {"profiler/capture/stream", "profiler/phantom"},
    "profiler/capture/nvtx": EVENTS | {"profiler/capture/stream"},
    "profiler/capture/course": EVENTS | {"profiler/capture/gates", "profiler/capture/stacks", "profiler/capture/stream"},
    "profiler/capture/roles": EVENTS,
    "profiler/capture/operators": EVENTS | {"profiler/capture/stacks", "profiler/capture/stream"},
    "profiler/capture/probe": EVENTS | {"profiler/capture/cupti", "profiler/capture/gates", "profiler/capture/nvml",
                                        "profiler/capture/course", "profiler/capture/nvtx", "profiler/capture/operators", "profiler/capture/stacks", "profiler/capture/stream", "profiler/capture/transport"},
    "profiler/capture/torch": EVENTS | {"profiler/capture/operators", "profiler/capture/stacks", "profiler/capture/stream", "profiler/capture/transport", "profiler/capture/gates"},
    "profiler/capture/program": EVENTS | {"profiler/capture/cupti", "profiler/capture/stacks", "profiler/capture/stream", "profiler/capture/transport", "profiler/capture/gates",
                                          "profiler/capture/course", "profiler/capture/nvtx", "profiler/capture/operators", "profiler/capture/roles", "profiler/capture/torch", "profiler/phantom", "profiler/phantom/values"},
    "profiler/phantom": BASE | {"profiler/phantom/cards", "profiler/phantom/workspaces"},
    "profiler/phantom/cards": BASE,
    "profiler/phantom/programs": EVENTS | {"profiler/phantom"},
    "profiler/phantom/ranks": BASE | {"profiler/phantom"},
    "profiler/phantom/replay": BASE | {"profiler/phantom"},
    "profiler/phantom/values": EVENTS | {"profiler/phantom", "profiler/capture/gates"},
    "profiler/phantom/device": BASE | {"profiler/phantom", "profiler/phantom/cards"},
    "profiler/phantom/stand_ins": BASE | {"profiler/phantom", "profiler/phantom/cards", "profiler/phantom/device",
                                          "profiler/phantom/calibration", "profiler/phantom/ranks", "profiler/phantom/workspaces"},
    "profiler/phantom/calibration": BASE | {"profiler/phantom/workspaces"},
    "profiler/phantom/calibration/recorder": BASE | {"profiler/phantom/calibration", "profiler/phantom/workspaces",
                                                     "profiler/phantom/workspaces/oracle"},
    "profiler/phantom/workspaces": BASE | {"profiler/phantom/cards"},
    "profiler/phantom/workspaces/oracle": BASE | {"profiler/phantom/cards", "profiler/phantom/workspaces"},
    "profiler/training/distributed": EVENTS | {"profiler/networks", "profiler/capture/operators", "profiler/capture/stream", "profiler/capture/torch"},
    "profiler/training": EVENTS | {"profiler/training/distributed", "profiler/networks", "profiler/textbook", "profiler/capture/cupti", "profiler/capture/nvml",
                                   "profiler/capture/operators", "profiler/capture/stream", "profiler/capture/torch", "profiler/capture/transport"},
    "profiler/session": MODELS | {"profiler/trace", "profiler/trace/importers", "profiler/capture/roles", "profiler/capture/transport", "profiler/capture/gates", "profiler/phantom",
                                  "profiler/phantom/cards", "profiler/phantom/replay"},
    "profiler/lessons": MODELS | {"profiler/textbook", "profiler/session", "profiler/phantom/cards"},
}
ENGINE = MODELS | {"profiler/textbook", "profiler/trace", "profiler/session", "profiler/advice", "profiler/lessons",
                   "profiler/phantom/cards"}
MAY_INCLUDE |= {
    "profiler/advice": MODELS | {"profiler/textbook", "profiler/session", "profiler/phantom", "profiler/phantom/cards",
                                 "profiler/phantom/replay"},
    # {moment, allocations} <- comparison <- plot <- picture; moment <- {run, advice}
    "app/presenters/moment": MODELS | {"profiler/textbook", "profiler/session", "profiler/phantom/cards"},
    "app/presenters/allocations": EVENTS | {"profiler/timeline"},
    "app/presenters/comparison": EVENTS | {"profiler/timeline", "app/presenters/moment", "app/presenters/allocations"},
    "app/presenters/plot": MODELS | {"profiler/session", "app/presenters/moment", "app/presenters/allocations", "app/presenters/comparison"},
    "app/presenters/picture": ENGINE | {"app/presenters/comparison", "app/presenters/moment", "app/presenters/plot"},
    "app/presenters/advice": ENGINE | {"app/presenters/moment"},
    "app/presenters/run": ENGINE | {"profiler/phantom", "app/presenters/moment"},
}
PRESENTERS = {"app/presenters"} | {folder for folder in MAY_INCLUDE if folder.startswith("app/presenters/")}
PANELS = {"app/gui/panels", "app/gui/panels/timeline"}
MAY_INCLUDE |= {
    "app/presenters": PRESENTERS,
    # {console, reports} <- programs <- the subcommands
    "app/cli/console": ENGINE | {"app/presenters/run", "profiler/phantom"},
    "app/cli/reports": ENGINE | PRESENTERS | {"profiler/phantom"},
    "app/cli/programs": ENGINE | {"app/cli/console", "app/cli/reports", "app/presenters/run", "profiler/capture/gates", "profiler/phantom", "profiler/phantom/programs"},
    "app/cli": ENGINE | PRESENTERS | {"app/cli/console", "app/cli/reports", "app/cli/programs", "profiler/phantom", "profiler/phantom/programs",
                                      "profiler/phantom/replay", "profiler/phantom/workspaces", "profiler/trace/exporters"},
    # window <- widgets <- commands <- {background, panels/timeline} <- panels <- view <- (searches, shell, scene) <- gui
    "app/gui/window": EVENTS,
    "app/gui/widgets": BASE | {"app/gui/window"},
    "app/gui/commands": MODELS | PRESENTERS | {"app/gui/widgets", "profiler/lessons", "profiler/session"},
    "app/gui/background": ENGINE | PRESENTERS | {"app/gui/commands", "app/gui/window"},
    "app/gui/panels/timeline": ENGINE | PRESENTERS | {"app/gui/window", "app/gui/widgets", "app/gui/commands"},
    "app/gui/panels": ENGINE | PRESENTERS | {"app/gui/window", "app/gui/widgets", "app/gui/commands", "app/gui/background", "app/gui/panels/timeline"},
    "app/gui/view": ENGINE | PRESENTERS | {"app/gui/window", "app/gui/widgets", "app/gui/commands", *PANELS},
    "app/gui/searches": ENGINE | {"app/presenters/advice", "app/gui/commands", "app/gui/background", "app/gui/view"},
    "app/gui/shell": ENGINE | PRESENTERS | {"app/gui/window", "app/gui/widgets", "app/gui/commands", "app/gui/background", *PANELS, "app/gui/view"},
    "app/gui/scene": ENGINE | PRESENTERS | {"app/gui/window", "app/gui/widgets", "app/gui/background", *PANELS, "app/gui/view"},
    "app/gui": ENGINE | PRESENTERS | {"app/gui/window", "app/gui/widgets", "app/gui/commands", "app/gui/background",
                         *PANELS, "app/gui/view", "app/gui/searches", "app/gui/shell", "app/gui/scene"},
    "app": BASE | {"app/cli", "app/cli/console", "app/cli/programs", "app/gui"},
}

# Libraries of others, by how their headers begin, and the only folders that may include them.
LIBTORCH = {"profiler/capture/torch", "profiler/capture/program", "profiler/phantom/replay", "profiler/phantom/values", "profiler/training", "tests/unit/phantom", "tests/gpu"}
STAND_INS = {"profiler/phantom/stand_ins"}
WINDOW = {"app/gui", "tests/gui", "tests/bench"}
ONLY_IN = {
    "torch/": LIBTORCH,
    "ATen/": LIBTORCH,
    "c10/": LIBTORCH,
    "cuda": LIBTORCH | STAND_INS,
    "cublas": LIBTORCH | STAND_INS,
    "cudnn": LIBTORCH | STAND_INS,
    "nccl": LIBTORCH | STAND_INS,
    "nvrtc": LIBTORCH | STAND_INS,
    "cupti": LIBTORCH | STAND_INS,
    "imgui": WINDOW,
    "implot": WINDOW,
    "hello_imgui/": WINDOW,
    "GLFW/": WINDOW,
    "GL/": WINDOW,
    "CLI/": {"app/cli"},
    "protozero/": {"profiler/trace/exporters"},
    "nanoarrow/": {"profiler/trace/exporters", "tests/unit/trace"},
    "catch2/": {"tests/support"},
}

# Tests may include everything of ours, but nothing of ours may include a test.
# Headers that a build step writes are found without a folder.
GENERATED_HEADERS = {"tidemark_library_versions.h": STAND_INS}

LONGEST_FILE_LINES = 700
