"""Holds the tree to rules.py: usage: check.py ROOT. Prints every offending line; exit code 0 when there is none.

Checked are the includes of C++ files, the link edges of CMake targets, that a target links what its folder includes, the
length of files, that the window's words go through its widgets, that no build file names a host and no file a path of somebody's machine,
that what the manual's pages point to is there, and that README.md tells of every target's folder.
"""

import pathlib
import re
import sys

import rules

CPP = {".h", ".cpp", ".inc"}
TEXT = CPP | {".py", ".sh", ".cmake", ".txt", ".json", ".ini", ".md", ""}
TOP_FOLDERS = ["app", "profiler", "tests", "cmake", "assets", ".ci"]
INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
ADDRESS = re.compile(r"\b(?:https?|ftp|git|ssh)://")
MACHINE_PATH = re.compile(r"(?<![\w.$}])/(?:home|root|work|Users)/\w")
UNTRANSLATED = re.compile(r'\bImGui::(?:InputTextWithHint\(|(?:Selectable|Button|Checkbox|MenuItem|RadioButton|Text\w*|SetTooltip)\((?!\(?"##))')
LIBRARY_CALL = re.compile(r"\b(tidemark_library|add_library|add_executable)\s*\(\s*([\w-]+)([^)]*)\)")
LINK_CALL = re.compile(r"\btarget_link_libraries\s*\(\s*([^\s)]+)([^)]*)\)")
SOURCES_ELSEWHERE = re.compile(r"\btidemark_sources_of\(((?:app|profiler)\S*) ")
PAGE_LINK = re.compile(r"\]\((?![a-z]+:)([^)#\s]*)#?([^)\s]*)\)")
NAMED_FILE = re.compile(r"`((?:app|profiler|tests|cmake|assets)/[\w./-]+)")
TARGET = re.compile(r"\btidemark_[a-z_]+\b")


def files_of(root):
    """Every text file of the project, as (path, path from the top, lines)."""
    paths = [path for path in root.iterdir() if path.is_file()]
    for folder in TOP_FOLDERS:
        paths += [path for path in (root / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    for path in sorted(paths):
        if path.suffix in TEXT and path.name != ".git":
            try:
                yield path, path.relative_to(root).as_posix(), path.read_text().splitlines()
            except UnicodeDecodeError:
                pass  # not text: an icon, say


def folder_of(name):
    return name.rpartition("/")[0]


def ruled_folder(folder):
    """The nearest folder around it that rules.py names, or None."""
    while folder and folder not in rules.MAY_INCLUDE:
        folder = folder_of(folder)
    return folder or None


def may_include(folder, other):
    """Whether a file in folder may include one of ours in other."""
    if folder.split("/")[0] == "tests":
        return True
    if other.split("/")[0] == "tests":
        return False
    own, wanted = ruled_folder(folder), ruled_folder(other)
    return own is not None and (wanted == own or wanted in rules.MAY_INCLUDE[own])


def lies_in(folder, folders):
    return any(folder == allowed or folder.startswith(allowed + "/") for allowed in folders)


def include_problem(folder, quote, header):
    """What is wrong with this include, or None."""
    if quote == '"':
        if "/" not in header:
            allowed = rules.GENERATED_HEADERS.get(header, set())
            return None if lies_in(folder, allowed) else "headers are included by their path from the top"
        return None if may_include(folder, folder_of(header)) else f"{folder} may not include {folder_of(header)}"
    for prefix, allowed in rules.ONLY_IN.items():
        if header.startswith(prefix) and not lies_in(folder, allowed):
            return f"only {', '.join(sorted(allowed))} may include <{prefix}...>"
    return None


def check_includes(files):
    for _, name, lines in files:
        if pathlib.PurePath(name).suffix not in CPP:
            continue
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            problem = match and include_problem(folder_of(name), *match.groups())
            if problem:
                yield f"{name}:{number}: {line.strip()}   ({problem})"


class Targets:
    """The CMake targets of ours: which folder makes each, and what each folder's targets link directly."""

    def __init__(self, files):
        self.folders, self.mentions = {}, []
        for _, name, lines in files:
            if pathlib.PurePath(name).name != "CMakeLists.txt":
                continue
            text = re.sub(r"#[^\n]*", "", "\n".join(lines))
            linked = [arguments for _, arguments in LINK_CALL.findall(text)]
            for call, target, arguments in LIBRARY_CALL.findall(text):
                self.folders[f"tidemark_{target}" if call == "tidemark_library" else target] = folder_of(name)
                linked.append(arguments.partition("LINKS")[2])
            self.mentions += [(folder_of(name), target) for target in TARGET.findall(" ".join(linked))]
            for other in SOURCES_ELSEWHERE.findall(text):  # compiled along: as good as linked
                self.folders[f"sources of {other}"] = other
                self.mentions.append((folder_of(name), f"sources of {other}"))

    def reachable(self, folder):
        """Folders of all targets that a folder's targets link, directly or through others."""
        found, waiting = set(), [folder]
        while waiting:
            current = waiting.pop()
            if current not in found:
                found.add(current)
                waiting += [self.folders[linked] for by, linked in self.mentions
                            if by == current and linked in self.folders]
        return found


def check_links(files):
    targets = Targets(files)
    for folder, linked in targets.mentions:
        other = targets.folders.get(linked)
        if other and not may_include(folder, other):
            yield f"{folder}/CMakeLists.txt links {linked}   ({folder} may not include {other})"
    made_in = set(targets.folders.values())
    for _, name, lines in files:
        folder = folder_of(name)
        while folder and folder not in made_in:
            folder = folder_of(folder)
        if pathlib.PurePath(name).suffix not in CPP or not folder or folder.startswith("tests"):
            continue
        reachable = targets.reachable(folder)
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            other = match and match[1] == '"' and folder_of(match[2])
            if other and other in made_in and other not in reachable:
                yield f"{name}:{number}: {line.strip()}   (no target of {folder} links one of {other})"


def check_lengths(files):
    for _, name, lines in files:
        if pathlib.PurePath(name).suffix in CPP | {".py", ".sh", ".cmake"} and len(lines) > rules.LONGEST_FILE_LINES:
            yield f"{name}: {len(lines)} lines; {rules.LONGEST_FILE_LINES} at most"


def check_addresses(files):
    for path, name, lines in files:
        builds = path.suffix in {".cmake", ".sh", ".py", ".ini", ""} or path.name in {
            "CMakeLists.txt", "CMakePresets.json", "packages.txt"}
        for number, line in enumerate(lines, 1):
            if builds and ADDRESS.search(line):
                yield f"{name}:{number}: {line.strip()}   (build files name no host)"
            if MACHINE_PATH.search(line):
                yield f"{name}:{number}: {line.strip()}   (a path of one machine)"


def check_words(files):
    for _, name, lines in files:
        if lies_in(str(pathlib.PurePath(name).parent), ["app/gui"]) and not name.startswith("app/gui/widgets/"):
            for number, line in enumerate(lines, 1):
                if UNTRANSLATED.search(line) and "Translated" not in line:
                    yield f"{name}:{number}: {line.strip()}   (what a person reads goes through app/gui/widgets, which translate it)"


def anchors_of(lines):
    """The names under which a page's headings are linked to."""
    return {re.sub(r"[^\w -]", "", line.lstrip("# ").lower()).replace(" ", "-") for line in lines if line.startswith("#")}


def check_pages(files):
    """What the manual links to, or names as a file or folder of the project, is there."""
    pages = {path: (name, lines) for path, name, lines in files if path.suffix == ".md"}
    for path, (name, lines) in pages.items():
        root = path.parents[name.count("/")]
        for number, line in enumerate(lines, 1):
            for file, anchor in PAGE_LINK.findall(line):
                target = (path.parent / file).resolve() if file else path
                if not target.exists():
                    yield f"{name}:{number}: there is no {file}"
                elif anchor and anchor not in anchors_of(pages[target][1]):
                    yield f"{name}:{number}: {file or name} has no heading {anchor}"
            for named in NAMED_FILE.findall(line):
                if not (root / named).exists() and not (root / f"{named}.cpp").exists():  # a program goes by its source
                    yield f"{name}:{number}: there is no {named}"


def check_folders(files):
    """Every folder that is a target is told in README.md."""
    pages = {name: "\n".join(lines) for _, name, lines in files if name == "README.md"}
    for _, name, lines in files:
        made = name.startswith(("app/", "profiler/")) and name.endswith("/CMakeLists.txt") and LIBRARY_CALL.search("\n".join(lines))
        if made and pages and f"`{folder_of(name)}`" not in pages["README.md"]:
            yield f"README.md does not say what {folder_of(name)} is for"


def check_fingerprint(files):
    """What the stand-ins are made of says when they are out of date."""
    folder = "profiler/phantom/"
    for _, cache, lines in files:
        if cache == folder + "programs/stand_in_cache.cpp":
            made_of = {str(pathlib.PurePath(name).parent) for _, name, _ in files
                       if name.startswith(folder) and name.count("/") == 3 and not name.startswith(folder + "programs/")}
            for part in sorted(made_of):
                if not any(f'"{part}"' in line for line in lines):
                    yield f"{cache}: a change in {part} leaves the stand-ins as they were"


def problems_in(root):
    files = list(files_of(root))
    for check in (check_includes, check_links, check_lengths, check_addresses, check_words, check_pages, check_folders, check_fingerprint):
        yield from check(files)


def main():
    problems = list(problems_in(pathlib.Path(sys.argv[1]).resolve()))
    for problem in problems:
        print(problem)
    print(f"{len(problems)} problems" if problems else "The architecture holds.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
