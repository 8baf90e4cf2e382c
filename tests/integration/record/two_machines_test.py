#!/usr/bin/env python3
"""Recordings of ranks on two machines, and following one from the other: two network namespaces, each a machine of its own to what
meets over a network, with sshd on the far one.

two_machines_test.py TIDEMARK REFERENCE_PROGRAM: skipped (exit code 77) without root, network namespaces or sshd; what takes mpirun or
torchrun is left out where they are not there.
"""

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

REFERENCE = str(Path(sys.argv.pop(2)).resolve())
sys.path[:0] = (str(Path(__file__).parents[1] / "programs"), str(Path(__file__).parents[2] / "support"))
from phantom_environment import phantom_environment
from programs import PYTHON, SKIPPED, TIDEMARK, torch_version  # what it is called with

phantom = functools.partial(phantom_environment, TIDEMARK)
NEAR, FAR = "10.77.0.1", "10.77.0.2"
SPACES = {NEAR: f"tidemark-near-{os.getpid()}", FAR: f"tidemark-far-{os.getpid()}"}


def at(machine, *command):
    """The command, on that machine."""
    return ("ip", "netns", "exec", SPACES[machine], *map(str, command))


def ip(*words):
    subprocess.run(("ip", *words), check=True, capture_output=True)


def connect():
    """Two machines with a cable between them; False where this process may not make any."""
    try:
        for space in SPACES.values():
            ip("netns", "add", space)
        ip("link", "add", "near0", "netns", SPACES[NEAR], "type", "veth", "peer", "name", "far0", "netns", SPACES[FAR])
        for machine, link in ((NEAR, "near0"), (FAR, "far0")):
            for words in (("addr", "add", f"{machine}/24", "dev", link), ("link", "set", link, "up"), ("link", "set", "lo", "up")):
                ip("-n", SPACES[machine], *words)
    except (FileNotFoundError, subprocess.CalledProcessError):
        return False
    return True


def disconnect():
    for space in SPACES.values():
        subprocess.run(("ip", "netns", "delete", space), capture_output=True, check=False)


class TwoMachines(unittest.TestCase):
    def setUp(self):
        self.cleanup = contextlib.ExitStack()
        self.folder = Path(self.cleanup.enter_context(tempfile.TemporaryDirectory()))
        self.addCleanup(self.cleanup.close)

    def start(self, *command, **options):
        process = subprocess.Popen(command, **options)
        self.cleanup.callback(process.wait)
        self.cleanup.callback(process.kill)
        return process

    def serve_ssh(self):
        """sshd on the far machine; returns what a command there begins with."""
        sshd = shutil.which("sshd") or "/usr/sbin/sshd"
        Path("/run/sshd").mkdir(exist_ok=True)  # where it wants to put privileges aside
        for key in ("host", "user"):
            subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / key), check=True)
        self.start(*at(FAR, sshd, "-D", "-e", "-f", "/dev/null", "-h", self.folder / "host", "-o", "PidFile=none", "-o", "StrictModes=no",
                       "-o", "PermitRootLogin=yes", "-o", f"AuthorizedKeysFile={self.folder / 'user.pub'}"),
                   stderr=subprocess.DEVNULL)
        ssh = at(NEAR, "ssh", "-i", self.folder / "user", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                 "-o", "LogLevel=ERROR", FAR)
        self.wait_until(lambda: subprocess.run((*ssh, "true"), capture_output=True, check=False).returncode == 0)
        return ssh

    def wait_until(self, reached, seconds=30):
        until = time.monotonic() + seconds
        while not reached():
            self.assertLess(time.monotonic(), until, "it did not come")
            time.sleep(0.1)

    def info(self, recording):
        said = subprocess.run([TIDEMARK, "info", recording, "--json"], capture_output=True, text=True, check=False)
        self.assertEqual(said.returncode, 0, said.stderr)
        return json.loads(said.stdout)

    def test_what_grows_far_away_comes_through_ssh_and_a_forwarded_port_to_its_last_byte(self):
        ssh = self.serve_ssh()
        whole = self.folder / "whole.tide"
        subprocess.run([TIDEMARK, "train", "--net", "mlp", "--device", "phantom", "--steps", "20", "-o", whole], check=True,
                       capture_output=True, env={**os.environ, "TIDEMARK_CUDNN": "none"})
        growing, through_ssh, through_port = (self.folder / name for name in ("growing.tide", "ssh.tide", "port.tide"))
        growing.touch()
        with open(through_ssh, "wb") as came:
            self.start(*ssh, "tail", "-c", "+1", "-F", str(growing), stdout=came, stderr=subprocess.DEVNULL)
        # As profiler/capture/README.md says: one end of a forwarded port there, the other here.
        serve = (f"import socket, subprocess; server = socket.create_server(('127.0.0.1', 7077)); near, _ = server.accept(); "
                 f"subprocess.run(['tail', '-c', '+1', '-F', {str(growing)!r}], stdout=near)")
        self.start(*at(FAR, sys.executable, "-c", serve), stderr=subprocess.DEVNULL)
        self.start(*ssh[:-1], "-N", "-L", "7078:127.0.0.1:7077", FAR)
        fetch = ("import shutil, socket, sys, time\n"
                 "for _ in range(100):\n"
                 "    try: near = socket.create_connection(('127.0.0.1', 7078)); break\n"
                 "    except OSError: time.sleep(0.1)\n"
                 "while part := near.recv(1 << 16): sys.stdout.buffer.write(part); sys.stdout.buffer.flush()\n")
        with open(through_port, "wb") as came:
            self.start(*at(NEAR, sys.executable, "-c", fetch), stdout=came)
        recorded = whole.read_bytes()
        with open(growing, "ab") as grows:
            for begin in range(0, len(recorded), 1 + len(recorded) // 10):
                grows.write(recorded[begin:begin + 1 + len(recorded) // 10])
                grows.flush()
                time.sleep(0.1)
        for copy in (through_ssh, through_port):
            self.wait_until(lambda copy=copy: copy.stat().st_size == len(recorded))
            self.assertEqual(copy.read_bytes(), recorded)
            self.assertEqual(self.info(copy)["steps"], 20)

    def test_mpirun_starts_ranks_on_both_that_have_their_own_recorders(self):
        if shutil.which("mpirun") is None:
            self.skipTest("mpirun is not installed")
        self.serve_ssh()
        (self.folder / "hosts").write_text(f"{NEAR} slots=1\n{FAR} slots=1\n")
        agent = (f"ssh -i {self.folder / 'user'} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR")
        environment = phantom()
        passed = [word for name in ("LD_PRELOAD", "TIDEMARK_PHANTOM_CARD") for word in ("-x", f"{name}={environment[name]}")]
        ran = subprocess.run(at(NEAR, "mpirun", "--allow-run-as-root", "--hostfile", self.folder / "hosts", "-n", "2", "--map-by", "node",
                                "--mca", "plm_rsh_agent", agent, "--mca", "btl_tcp_if_include", "10.77.0.0/24", "--mca",
                                "oob_tcp_if_include", "10.77.0.0/24", *passed, TIDEMARK, "record", "-o", self.folder / "run.tide", "--",
                                REFERENCE, "bytes"),
                             capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertNotIn("not recorded", ran.stderr)
        for rank in range(2):
            self.assertEqual(self.info(self.folder / f"run.rank{rank}.tide")["title"], f"{Path(REFERENCE).name}, rank {rank} of 2, local rank 0")

    def test_torchrun_on_both_behind_a_recorder_on_each(self):
        if not torch_version():
            self.skipTest(f"{PYTHON} has no torch")
        (self.folder / "train.py").write_text(
            "import torch\n"
            "torch.distributed.init_process_group('gloo')\n"
            "net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(256, 512).cuda())\n"
            "optimizer = torch.optim.Adam(net.parameters())\n"
            "for _ in range(3):\n"
            "    net(torch.zeros(64, 256, device='cuda')).sum().backward()\n"
            "    optimizer.step()\n"
            "torch.distributed.barrier()\n"
            "torch.distributed.destroy_process_group()\n")
        link = {NEAR: "near0", FAR: "far0"}
        ranks = [self.start(*at(machine, TIDEMARK, "phantom", "--", TIDEMARK, "record", "-o", self.folder / "run.tide", "--", PYTHON, "-m",
                                "torch.distributed.run", "--nnodes", "2", "--node-rank", node, "--nproc-per-node", "1", "--master-addr", NEAR,
                                "--master-port", "29577", "train.py"),
                            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                            env={**os.environ, "OMP_NUM_THREADS": "1", "GLOO_SOCKET_IFNAME": link[machine]})
                 for node, machine in enumerate((NEAR, FAR))]
        for rank, process in enumerate(ranks):
            _, said = process.communicate(timeout=600)
            self.assertEqual(process.returncode, 0, said)
            self.assertIn("1 of the launcher's ranks is not recorded here", said)
            info = self.info(self.folder / f"run.rank{rank}.tide")
            self.assertEqual(info["title"], f"train.py, rank {rank} of 2, local rank 0")
            self.assertEqual((info["steps"], info["events"]["lost"]), (3, 0))
        self.assertEqual(len(list(self.folder.glob("*.tide"))), 2)


def main():
    if os.geteuid() != 0 or shutil.which("ip") is None or not (shutil.which("sshd") or Path("/usr/sbin/sshd").exists()):
        print("skipped: two machines take root, ip (iproute2) and sshd (openssh-server)")
        sys.exit(SKIPPED)
    try:
        if not connect():
            print("skipped: this process may make no network namespaces")
            sys.exit(SKIPPED)
        unittest.main(verbosity=2)
    finally:
        disconnect()


if __name__ == "__main__":
    main()
