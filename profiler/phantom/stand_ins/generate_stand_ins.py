#!/usr/bin/env python3
"""Writes the generated half of the stand-ins for NVIDIA's libraries, from what the installed LibTorch asks of them.

  sonames   --torch DIR            prints the stand-ins that this LibTorch needs, one soname a line
  versions  --torch DIR --out FILE writes the header with the versions of the libraries that it was built for
  stand-ins --torch DIR ...        writes SONAME.cpp and SONAME.map for each, and classes.tsv: every function's class

DIR is the unpacked wheel's torch folder. Every function that LibTorch imports is exactly one of: modelled (it is defined in
the object files given with --modelled), computes, sets or unsupported (a row of functions.txt says so), or refuses (all others).
"""

import argparse
import fnmatch
import re
import subprocess
import sys
from pathlib import Path

# The libraries that get a stand-in, by their soname without its number, and what their functions' names begin with.
PREFIXES = {
    "libcudart.so": ("cuda", "__cuda"),
    "libcuda.so": ("cu(?!File)[A-Z]",),
    "libcublas.so": ("cublas(?!Lt)",),
    "libcublasLt.so": ("cublasLt",),
    "libcudnn.so": ("cudnn",),
    "libcufft.so": ("cufft",),
    "libcufile.so": ("cuFile",),
    "libcupti.so": ("cupti",),
    "libcurand.so": ("curand",),
    "libcusolver.so": ("cusolver",),
    "libcusparse.so": ("cusparse(?!Lt)",),
    "libcusparseLt.so": ("cusparseLt",),
    "libnccl.so": ("nccl",),
    "libnvidia-ml.so": ("nvml",),
    "libnvrtc.so": ("nvrtc",),
    "libnvshmem_host.so": ("nvshmem",),
}
# Also imported, but there as they are: the system's libraries.
OTHERS = re.compile(r"(libgomp|libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|libutil|ld-linux.*)\.so\b")
KINDS = ("computes", "sets", "unsupported")
# LibTorch does not link it; it and others look it up by its soname.
NVML = "libnvidia-ml.so.1"
# What can say that it does not support something, and how: as a rule, or so that the run's report tells of it.
UNSUPPORTED = {"libnvidia-ml.so": "unsupported", "libcuda.so": "driver_unsupported", "libcufile.so": "file_unsupported"}
# A name that says that it answers something on the host, so that doing nothing would leave the answer unset.
ANSWERS = re.compile(r"Get|Query|Create")


class Complaint(Exception):
    pass


def output_of(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def stem_of(soname):
    return re.sub(r"\.so\..*", ".so", soname)


def torch_libraries(torch):
    libraries = sorted((torch / "lib").glob("lib*.so"))
    if not libraries:
        raise Complaint(f"There is no LibTorch in {torch}.")
    return libraries


def needed_sonames(torch):
    """The sonames of NVIDIA's libraries that LibTorch is linked with, or looks up."""
    sonames = {NVML}
    for library in torch_libraries(torch):
        for needed in re.findall(r"\(NEEDED\).*\[(.*)\]", output_of("readelf", "--dynamic", "--wide", str(library))):
            if stem_of(needed) in PREFIXES:
                sonames.add(needed)
            elif not OTHERS.match(needed) and not (torch / "lib" / needed).exists():
                raise Complaint(f"{library.name} needs {needed}, for which there is no stand-in.")
    return sorted(sonames)


def imported_functions(torch, sonames):
    """{soname: {function: symbol version or None}} of all that LibTorch imports from these libraries."""
    functions = {soname: {} for soname in sonames}
    for library in torch_libraries(torch):
        for line in output_of("nm", "--dynamic", "--undefined-only", str(library)).splitlines():
            name, _, version = line.split()[-1].partition("@")
            version = version.lstrip("@")
            soname = version if version in functions else soname_by_prefix(name, sonames)
            if soname:
                functions[soname][name] = version or None
    return functions


def soname_by_prefix(name, sonames):
    for soname in sonames:
        if any(re.match(prefix, name) for prefix in PREFIXES[stem_of(soname)]):
            return soname
    return None


# The libraries whose stand-in has all that a header declares, not only what LibTorch imports: LibTorch looks the driver's
# functions up by name, other packages' kernels (bitsandbytes, flash-attention) call the runtime's, as LibTorch's do, and tools
# that record a program are linked with CUPTI.
CUPTI = ("", "_pcsampling", "_pmsampling", "_profiler_host", "_profiler_target", "_range_profiler", "_sass_metrics")
HEADERS = {
    "libcuda.so": (("cuda.h",), "CUresult", "cu[A-Z]"),
    "libcudart.so": (("cuda_runtime_api.h",), "cudaError_t", "cuda"),
    "libcupti.so": (tuple(f"cupti{part}.h" for part in CUPTI), "CUptiResult", "cupti"),
}


def functions_of_header(stem, compiler, cuda_include):
    headers, result, prefix = HEADERS[stem]
    includes = [word for header in headers for word in ("-include", header)]
    folders = [f"-I{folder}" for folder in cuda_include]
    text = output_of(compiler, "-E", "-P", "-dD", "-x", "c++", *folders, *includes, "/dev/null")
    return declared_functions(text, result, prefix)


def functions_of_nvml():
    """Its header is in no package that is needed to build."""
    lines = (Path(__file__).parent / "nvml_functions.txt").read_text().splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def declared_functions(text, result, prefix):
    """A library also has the old form of what it has a newer one of, under the name that the header turns into the newer's."""
    old = re.findall(rf"^#\s*define ({prefix}\w+) .*\b\1_v\d", text, re.MULTILINE)
    return set(re.findall(rf"\b{result}\s+({prefix}\w+)\s*\(", text)) | set(old)


def modelled_functions(objects):
    """The functions of the families above that the hand-written object files define."""
    family = re.compile("|".join(prefix for prefixes in PREFIXES.values() for prefix in prefixes))
    names = {line.split()[-1] for line in output_of("nm", "--defined-only", "--extern-only", *objects).splitlines() if line}
    return {name for name in names if family.match(name) and not name.endswith(":")}


def read_rows(file):
    """[(pattern, kind, reason)] of functions.txt."""
    rows = []
    for number, line in enumerate(file.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        pattern, kind, reason = (line.split(maxsplit=2) + ["", ""])[:3]
        if kind not in KINDS:
            raise Complaint(f"{file.name}:{number}: {pattern} is of no kind ({' or '.join(KINDS)}).")
        if not reason:
            raise Complaint(f"{file.name}:{number}: {pattern} has no reason.")
        rows.append((pattern, kind, reason))
    return rows


def harmless_functions(rows, imported, modelled, every_row):
    """{function: (kind, reason)}; complains about rows that say too much and, if every row must be of use, about those that say nothing."""
    harmless = {}
    for pattern, kind, reason in rows:
        matches = fnmatch.filter(imported, pattern)
        if not matches and every_row:
            raise Complaint(f"functions.txt: {pattern} matches no function that LibTorch imports.")
        for name in matches:
            if name in harmless:
                raise Complaint(f"functions.txt: two rows match {name}.")
            if name in modelled:
                raise Complaint(f"functions.txt: {pattern} matches {name}, which is written by hand.")
            if kind == "unsupported" and not soname_by_prefix(name, UNSUPPORTED):
                raise Complaint(f"functions.txt: {name} is of no library that can say that the card does not support it.")
            if kind != "unsupported" and ANSWERS.search(name):
                raise Complaint(f"functions.txt: {name} gives an answer, so it cannot do nothing; model it.")
            harmless[name] = (kind, reason)
    return harmless


def write_if_changed(file, text):
    if not file.exists() or file.read_text() != text:
        file.write_text(text)


def write_stand_in(folder, soname, functions, harmless, modelled):
    lines = ['#include "profiler/phantom/stand_ins/generated.h"']
    for name in sorted(set(functions) - modelled):
        kind = harmless[name][0] if name in harmless else "refuses"
        # NVML's callers expect that a card lacks something, so there it is said with the name, and the program goes on.
        macro = "nvml_refuses" if (kind, soname) == ("refuses", NVML) else UNSUPPORTED[stem_of(soname)] if kind == "unsupported" else kind
        lines.append(f"TIDEMARK_{macro.upper()}({name})")
    write_if_changed(folder / f"{soname}.cpp", "\n".join(lines) + "\n")
    versions = {version for version in functions.values() if version}
    if len(versions) > 1:
        raise Complaint(f"{soname} has more than one version of its symbols: {', '.join(sorted(versions))}.")
    prefixes = [re.sub(r"\(.*|\[A-Z\]", "", prefix) + "*" for prefix in PREFIXES[stem_of(soname)]]
    names = "; ".join(prefixes)
    write_if_changed(folder / f"{soname}.map", f"{next(iter(versions), '')} {{ global: {names}; local: *; }};\n")


def write_stand_ins(options):
    sonames = needed_sonames(options.torch)
    functions = imported_functions(options.torch, sonames)
    functions[NVML] = dict.fromkeys(functions_of_nvml())
    for soname in sonames:
        if stem_of(soname) in HEADERS:
            found = functions_of_header(stem_of(soname), options.compiler, options.cuda_include)
            functions[soname] = {**{name: None for name in found}, **functions[soname]}
    imported = {name for names in functions.values() for name in names}
    modelled = modelled_functions(options.modelled)
    harmless = harmless_functions(read_rows(options.functions), imported, modelled, options.every_row)
    table = []
    for soname in sonames:
        write_stand_in(options.out, soname, functions[soname], harmless, modelled)
        for name in sorted(functions[soname]):
            kind, reason = ("modelled", "") if name in modelled else harmless.get(name, ("refuses", ""))
            table.append(f"{soname}\t{name}\t{kind}\t{reason}\n")
    (options.out / "classes.tsv").write_text("".join(table))


# cuBLAS of those toolkits that a wheel names as a whole (release notes of the CUDA Toolkit, "CUDA Toolkit Major Components").
CUBLAS_OF_TOOLKIT = {"13.0": (13, 1, 0)}


def requirements_of(torch):
    """The text in which the wheel says what it needs."""
    return "".join(file.read_text() for file in torch.parent.glob("torch-*.dist-info/METADATA"))


def packaged_version(requirements, package):
    """(major, minor, patch) of a library; None where it is not named."""
    found = re.search(rf"Requires-Dist: {package}(?:-cu\d+)?(?:\[[^]]*\])? ?\(?==(\d+)\.(\d+)\.(\d+)", requirements)
    return tuple(map(int, found.groups())) if found else None


def cuda_version(torch):
    """(major, minor) of the CUDA that LibTorch was built with."""
    found = re.search(r"^cuda\b.*'(\d+)\.(\d+)'", (torch / "version.py").read_text(), re.MULTILINE)
    if not found:
        raise Complaint(f"{torch}/version.py names no version of CUDA.")
    return tuple(map(int, found.groups()))


def library_versions(cuda, requirements):
    """{name: number}, each as its library writes it."""
    versions = {name: packaged_version(requirements, f"nvidia-{name}") for name in ("cudnn", "nccl", "cublas")}
    versions["cublas"] = versions["cublas"] or CUBLAS_OF_TOOLKIT.get(".".join(map(str, cuda)), (*cuda, 0))
    for name, version in versions.items():
        if not version:
            raise Complaint(f"The metadata of this torch does not say which {name} it needs.")
    numbers = {name: version[0] * 10000 + version[1] * 100 + version[2] for name, version in versions.items()}
    return {"cuda": cuda[0] * 1000 + cuda[1] * 10, **numbers}


def write_versions(options):
    text = "// Versions of the libraries that this LibTorch was built for.\n#pragma once\n\n"
    for name, number in library_versions(cuda_version(options.torch), requirements_of(options.torch)).items():
        text += f"#define TIDEMARK_{name.upper()}_VERSION {number}\n"
    write_if_changed(options.out, text)


def print_sonames(options):
    print("\n".join(needed_sonames(options.torch)))


def parse_arguments():
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(required=True)
    for name, action in (("sonames", print_sonames), ("versions", write_versions), ("stand-ins", write_stand_ins)):
        command = commands.add_parser(name)
        command.set_defaults(action=action)
        command.add_argument("--torch", type=Path, required=True)
        command.add_argument("--out", type=Path)
        command.add_argument("--functions", type=Path)
        command.add_argument("--compiler")
        command.add_argument("--cuda-include", nargs="*")
        command.add_argument("--every-row", action="store_true")
        command.add_argument("--modelled", nargs="*", default=[])
    return parser.parse_args()


def main():
    options = parse_arguments()
    try:
        options.action(options)
    except Complaint as complaint:
        sys.exit(f"generate_stand_ins.py: {complaint}")


if __name__ == "__main__":
    main()
