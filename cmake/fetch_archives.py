"""Downloads, checks and unpacks the archives that archives.ini pins, and points .deps at them.

They lie in a cache for all checkouts of one person: $TIDEMARK_CACHE, else $XDG_CACHE_HOME/tidemark, else ~/.cache/tidemark.

    archives/FILE    downloaded; appears under its name only after its SHA-256 was right
    unpacked/KEY/    what is used of one archive (KEY is the hash of the archive and of the choice)
    sets/KEY/        what CMake reads: site/, imgui-bundle/ and so on, of one list of archives, as hard links to the files in unpacked/
    partial/         whatever is in progress

Every step leaves either its whole result or nothing, so that a call that was interrupted goes on where it stopped. With the
archives already in archives/ (carried there by hand, say) no network is needed.
"""

import configparser
import fcntl
import hashlib
import os
import pathlib
import pwd
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
DEPS = HERE.parent / ".deps"
MEGABYTE = 1_000_000


class Failure(Exception):
    """A sentence for the person who typed ./run."""


def read_archives(kinds):
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string((HERE / "archives.ini").read_text())
    archives = [dict(parser[name], name=name) for name in parser.sections()]
    return [archive for archive in archives if archive["when"] in kinds]


def cache_folder():
    """The cache; the checkout's own .deps/cache where a home folder is missing or cannot be written."""
    home = os.environ.get("HOME", "")
    if not os.path.isabs(home):
        try:
            home = pwd.getpwuid(os.getuid()).pw_dir
        except KeyError:
            home = "/nonexistent"
    general = os.environ.get("XDG_CACHE_HOME", "")
    if not os.path.isabs(general):
        general = os.path.join(home, ".cache")
    folder = pathlib.Path(os.environ.get("TIDEMARK_CACHE") or os.path.join(general, "tidemark")).absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError as error:
        own = DEPS / "cache"
        own.mkdir(parents=True, exist_ok=True)
        print(f"{folder} cannot be written ({error.strerror}), so the archives go to {own}.")
        return own


def sha256_of(path):
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


class Progress:
    """'torch: 123 of 531 MB', on one line of a terminal, every ten seconds elsewhere."""

    def __init__(self, doing, total_bytes):
        self.doing, self.total_bytes = doing, total_bytes
        self.terminal = sys.stdout.isatty()
        self.printed = 0.0 if self.terminal else time.monotonic()
        if not self.terminal:
            print(f"{doing} ({total_bytes / MEGABYTE:.0f} MB)...", flush=True)

    def show(self, done_bytes):
        if time.monotonic() - self.printed > (0.2 if self.terminal else 10):
            self.printed = time.monotonic()
            text = f"{self.doing}: {done_bytes / MEGABYTE:.0f} of {self.total_bytes / MEGABYTE:.0f} MB"
            print(f"\r\033[K{text}" if self.terminal else text, end="" if self.terminal else "\n", flush=True)

    def done(self):
        if self.terminal:
            print(f"\r\033[K{self.doing}: {self.total_bytes / MEGABYTE:.0f} MB", flush=True)


def empty_folder(folder):
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(parents=True)
    return folder


def folder_size(folder):
    size = 0
    for base, _, files in os.walk(folder):
        for file in files:
            try:
                size += os.lstat(os.path.join(base, file)).st_size
            except OSError:
                pass  # pip moved or removed it between the listing and this look
    return size


def pip_command(archive, work):
    """pip, asked for one file by name, version and hash, whatever this machine's own Python and system are."""
    requirements = work / "requirements.txt"
    requirements.write_text(f"{archive['requirement']} --hash=sha256:{archive['sha256']}\n")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
               "--no-cache-dir", "--progress-bar", "off", "--require-hashes",
               "--requirement", str(requirements), "--dest", str(work / "files")]
    if archive["file"].endswith(".whl"):
        platforms = [f"manylinux_2_{minor}_x86_64" for minor in range(28, 4, -1)]
        platforms += ["manylinux2014_x86_64", "manylinux2010_x86_64", "manylinux1_x86_64"]
        command += ["--only-binary=:all:", "--implementation", "cp", "--python-version", "3.12"]
        command += [argument for platform in platforms for argument in ("--platform", platform)]
    else:
        command += ["--no-binary=:all:", "--no-build-isolation"]
    return command


def download(archive, cache):
    """Returns the archive's file; None if what is used of it was unpacked before."""
    if (cache / "unpacked" / key_of([archive])).exists():
        return None
    target = cache / "archives" / archive["file"]
    if target.exists():
        if sha256_of(target) == archive["sha256"]:
            return target
        print(f"{target} is damaged; it is downloaded again.")
        target.unlink()
    work = cache / "partial" / archive["file"]
    (empty_folder(work) / "files").mkdir()
    # pip asks a source archive's build system for its metadata, which would first download that build system. The
    # archive's name and version are known here, so this one answers instead; nothing of the archive is run.
    environment = dict(os.environ, TMPDIR=str(work), PYTHONPATH=str(HERE / "source_archive_metadata"),
                       TIDEMARK_REQUIREMENT=archive["requirement"])
    progress = Progress(f"Downloading {archive['name']}", int(archive["bytes"]))
    with (work / "pip.log").open("w+") as log:
        pip = subprocess.Popen(pip_command(archive, work), env=environment, stdin=subprocess.DEVNULL,
                               stdout=log, stderr=subprocess.STDOUT)
        while pip.poll() is None:
            time.sleep(0.1)
            progress.show(min(folder_size(work), int(archive["bytes"])))
        log.seek(0)
        said = log.read().strip()
    fetched = work / "files" / archive["file"]
    if pip.returncode != 0 or not fetched.exists():
        raise Failure(f"{said}\nDownloading {archive['requirement']} failed; pip's message is above. Check the network, then "
                      f"run this again: what is complete is kept. (Or put {archive['file']} into {target.parent}.)")
    if sha256_of(fetched) != archive["sha256"]:
        raise Failure(f"{archive['file']} is not the file that cmake/archives.ini pins: its SHA-256 differs. It was not used.")
    progress.done()
    target.parent.mkdir(exist_ok=True)
    fetched.rename(target)
    shutil.rmtree(work, ignore_errors=True)
    return target


def wanted(member, prefixes):
    return not member.endswith("/") and any(member.startswith(prefix) for prefix in prefixes)


def members_of(path):
    """(name, size, function that opens it) of each file in a wheel, or in a source archive without its top folder."""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as archive:
            for info in archive.infolist():
                yield info.filename, info.file_size, lambda info=info: archive.open(info)
    else:
        with tarfile.open(path) as archive:
            for info in archive:
                if info.isfile():
                    yield info.name.partition("/")[2], info.size, lambda info=info: archive.extractfile(info)


def key_of(archives):
    return hashlib.sha256(" ".join(a["sha256"] + a["into"] + a["members"] for a in archives).encode()).hexdigest()[:12]


def unpack(archive, path, cache):
    """Returns the folder that holds the archive's files, below the name that they have in a set."""
    folder = cache / "unpacked" / key_of([archive])
    if folder.exists():
        return folder
    work = empty_folder(cache / "partial" / folder.name)
    prefixes = archive["members"].split()
    progress = Progress(f"Unpacking {archive['name']}", int(archive["unpacked_bytes"]))
    done = 0
    for member, size, open_member in members_of(path):
        if not wanted(member, prefixes):
            continue
        target = work / archive["into"] / member
        if ".." in target.parts:
            raise Failure(f"{path.name} holds a file with '..' in its name ({member}); it was not unpacked.")
        target.parent.mkdir(parents=True, exist_ok=True)
        with open_member() as source, target.open("wb") as file:
            while block := source.read(1 << 22):
                file.write(block)
                done += len(block)
                progress.show(done)
    if done == 0:
        raise Failure(f"{path.name} holds nothing that starts with {archive['members']}: cmake/archives.ini is wrong.")
    progress.done()
    folder.parent.mkdir(exist_ok=True)
    work.rename(folder)
    return folder


def link_or_copy(source, target):
    try:
        os.link(source, target)
    except OSError:  # a file system without hard links
        shutil.copy2(source, target)


def make_set(archives, cache):
    folder = cache / "sets" / key_of(archives)
    if not folder.exists():
        parts = [unpack(archive, download(archive, cache), cache) for archive in archives]
        work = empty_folder(cache / "partial" / f"set-{folder.name}")
        for part in parts:
            shutil.copytree(part, work, copy_function=link_or_copy, dirs_exist_ok=True)
        folder.parent.mkdir(exist_ok=True)
        work.rename(folder)
    return folder


def check_space(archives, cache):
    needed = 0
    for archive in archives:
        if not (cache / "unpacked" / key_of([archive])).exists():
            needed += int(archive["unpacked_bytes"])
            if not (cache / "archives" / archive["file"]).exists():
                needed += int(archive["bytes"])
    free = shutil.disk_usage(cache).free
    if needed > free:
        raise Failure(f"{cache} needs {needed / MEGABYTE:.0f} MB more for the archives, but only {free / MEGABYTE:.0f} MB are "
                      "free. Make room there, or set TIDEMARK_CACHE to a folder on a larger disk.")


def point(link, target):
    """Makes link point to target, in one step, so that nobody ever sees it missing."""
    if link.exists() and not link.is_symlink():
        raise Failure(f"{link} is a folder, where this keeps a link. Move it away, then run this again.")
    if link.is_symlink() and os.readlink(link) == str(target):
        return
    fresh = link.with_name(f"{link.name}.{os.getpid()}")
    fresh.symlink_to(target)
    fresh.rename(link)


def main():
    extras = [kind for kind in ("with-cudnn", "with-driver") if f"--{kind}" in sys.argv[1:]]
    DEPS.mkdir(exist_ok=True)
    cache = cache_folder()
    with (cache / "lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another call is at work on the archives; waiting for it...", flush=True)
            fcntl.flock(lock, fcntl.LOCK_EX)
        archives = read_archives(["always", *extras])
        check_space(archives, cache)
        folder = make_set(archives, cache)
        for name in sorted({archive["into"] for archive in archives}):
            point(DEPS / name, folder / name)
        for extra in extras:
            (folder / extra).touch()
        # Last of all: with this file in place the next call does not even start Python.
        shutil.copyfile(HERE / "archives.ini", folder / "archives.ini")
        point(DEPS / "complete", folder)


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        sys.exit(str(failure))
    except OSError as error:
        sys.exit(f"The archives could not be installed: {error}. When that is solved, run this again; what is complete is kept.")
    except KeyboardInterrupt:
        sys.exit("\nStopped. Run this again to go on where it stopped.")
