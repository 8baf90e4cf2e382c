"""What NVIDIA's nvidia-smi tells, of the phantom: many training scripts log it or ask it for the cards' memory.

commands/nvidia-smi, first in PATH of a program on the phantom, starts it. It tells what the phantom's NVML does: -L, --query-gpu=... --format=csv[,noheader][,nounits],
and the table without options. What the program itself holds is its own process's affair and not known here, which the report says.
"""

import argparse
import ctypes
import os
import sys
from datetime import datetime

sys.path.insert(0, os.path.dirname(os.path.realpath(__file__)))  # python -I keeps a script's folder out
from tidemark_doubts import doubt  # noqa: E402

MIB = 1 << 20
DOUBT = "nvidia-smi was asked: it told of the card, but not of what the program holds there."


class Memory(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Nvml:
    def __init__(self):
        self.library = ctypes.CDLL("libnvidia-ml.so.1")
        self.call("nvmlInit_v2")

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments) != 0:
            sys.exit("NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.")

    def number(self, name, *before):
        answer = ctypes.c_uint()
        self.call(name, *before, ctypes.byref(answer))
        return answer.value

    def text(self, name, *before):
        answer = ctypes.create_string_buffer(256)
        self.call(name, *before, answer, ctypes.c_uint(256))
        return answer.value.decode()

    def gpus(self):
        for index in range(self.number("nvmlDeviceGetCount_v2")):
            handle, memory, major, minor = ctypes.c_void_p(), Memory(), ctypes.c_int(), ctypes.c_int()
            self.call("nvmlDeviceGetHandleByIndex_v2", ctypes.c_uint(index), ctypes.byref(handle))
            self.call("nvmlDeviceGetMemoryInfo", handle, ctypes.byref(memory))
            self.call("nvmlDeviceGetCudaComputeCapability", handle, ctypes.byref(major), ctypes.byref(minor))
            name, uuid = self.text("nvmlDeviceGetName", handle), self.text("nvmlDeviceGetUUID", handle)
            sizes = {f"memory.{kind}": (getattr(memory, kind) // MIB, "MiB") for kind in ("total", "free", "used")}
            yield {
                "index": index, "name": name, "gpu_name": name, "uuid": uuid, "gpu_uuid": uuid, **sizes,
                "compute_cap": f"{major.value}.{minor.value}", "utilization.gpu": (0, "%"), "utilization.memory": (0, "%"),
                "driver_version": self.text("nvmlSystemGetDriverVersion"), "count": self.number("nvmlDeviceGetCount_v2"),
            }  # fmt: skip


def query(gpus, fields, layout):
    def told(value):
        if isinstance(value, tuple):
            return str(value[0]) if "nounits" in layout else " ".join(map(str, value))
        return str(value)

    def heading(field):
        value = gpus[0].get(field) if gpus else None
        return f"{field} [{value[1]}]" if isinstance(value, tuple) else field

    if "noheader" not in layout:
        print(", ".join(map(heading, fields)))
    for gpu in gpus:
        print(", ".join(told(gpu.get(field, "[N/A]")) for field in fields))


def table(nvml, gpus):
    cuda = nvml.number("nvmlSystemGetCudaDriverVersion")
    version = f"{cuda // 1000}.{cuda % 1000 // 10}"
    line, driver = "+" + "-" * 77 + "+", nvml.text("nvmlSystemGetDriverVersion")
    print(datetime.now().ctime(), line, f"| NVIDIA-SMI (phantom)   Driver Version: {driver:<12} CUDA Version: {version:<9} |", line, sep="\n")
    for gpu in gpus:
        print(f"| {gpu['index']:>3}  {gpu['name'][:40]:<40} {gpu['memory.used'][0]:>8}MiB / {gpu['memory.total'][0]:>8}MiB   0% |")
    print(line)


def chosen(gpus, ids):
    """By index or UUID, several between commas; all where none is named. As NVIDIA's, it ends with 6 where one is not there."""
    if ids is None:
        return gpus
    found = [[gpu for gpu in gpus if one.strip() in (str(gpu["index"]), gpu["uuid"])] for one in ids.split(",")]
    if not all(found):
        print("No devices were found")
        sys.exit(6)
    return [gpu for one in found for gpu in one]


def main():
    parser = argparse.ArgumentParser(prog="nvidia-smi", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-L", "--list-gpus", action="store_true")
    parser.add_argument("-i", "--id", metavar="INDEX")
    parser.add_argument("--query-gpu", metavar="FIELD,...")
    parser.add_argument("--format", default="csv")
    options, unknown = parser.parse_known_args()
    if unknown:
        doubt(f"nvidia-smi was asked for {unknown[0]}, which this one, of the phantom, does not know.")
        parser.error(f"{unknown[0]} is not known to the phantom's nvidia-smi")
    nvml = Nvml()
    gpus = chosen(list(nvml.gpus()), options.id)
    if options.query_gpu:
        query(gpus, [field.strip() for field in options.query_gpu.split(",")], [part.strip() for part in options.format.split(",")])
    elif options.list_gpus:
        for gpu in gpus:
            print(f"GPU {gpu['index']}: {gpu['name']} (UUID: {gpu['uuid']})")
    else:
        table(nvml, gpus)
    doubt(DOUBT)


if __name__ == "__main__":
    main()
