// Interpreters and libraries made up by the test: shell scripts that answer as Python would, and ELF files of
// a header and a note.
#include "profiler/phantom/programs/torch_installation.h"

#include <elf.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "tests/support/catch.h"
#include "tests/unit/trace/scratch.h"

namespace tidemark::phantom {
namespace {

namespace fs = std::filesystem;

using Words = std::vector<std::string>;

void WriteProgram(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file) << text;
  fs::permissions(file, fs::perms::owner_all);
}

void WriteLibrary(const fs::path& file, const std::string& build_id) {
  fs::create_directories(file.parent_path());
  Elf64_Ehdr header{};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_phoff = sizeof header;
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Nhdr note{};
  note.n_namesz = 4;
  note.n_descsz = static_cast<Elf64_Word>(build_id.size());
  note.n_type = NT_GNU_BUILD_ID;
  std::string notes(reinterpret_cast<const char*>(&note), sizeof note);
  notes += std::string("GNU\0", 4) + build_id;
  Elf64_Phdr segment{};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof header + sizeof segment;
  segment.p_filesz = notes.size();
  std::ofstream stream(file, std::ios::binary);
  stream.write(reinterpret_cast<const char*>(&header), sizeof header);
  stream.write(reinterpret_cast<const char*>(&segment), sizeof segment);
  stream << notes;
}

std::string Answering(const std::string& json) {
  return "#!/bin/sh\necho noise\necho 'tidemark " + json + "'\n";
}

TEST_CASE("The Python of a command line is its program, or the one that its script names") {
  const trace::Scratch scratch;
  const std::string python = (scratch / "python3.11").string();
  WriteProgram(python, "#!/bin/sh\n");
  WriteProgram(scratch / "torchrun", "#!" + python + "\nimport torch\n");
  WriteProgram(scratch / "launcher", "#!/usr/bin/env -S python3.11 -u\nimport torch\n");
  WriteProgram(scratch / "script.sh", "#!/bin/sh\n");
  // As pip and uv write what would be too long for a first line, or has a space in it.
  fs::create_directory(scratch / "my venv");
  const std::string spaced = (scratch / "my venv" / "python3").string();
  WriteProgram(spaced, "#!/bin/sh\n");
  WriteProgram(scratch / "by-pip", "#!/bin/sh\n'''exec' \"" + spaced + "\" \"$0\" \"$@\"\n' '''\n");
  WriteProgram(scratch / "by-uv", "#!/bin/sh\n'''exec' '" + spaced + "' \"$0\" \"$@\"\n' '''\n");
  WriteProgram(scratch / "long", "#!/bin/sh\n'''exec' " + python + " \"$0\" \"$@\"\n' '''\n");
  CHECK(PythonOf({(scratch / "by-pip").string()})->words == Words{spaced});
  CHECK(PythonOf({(scratch / "by-uv").string()})->words == Words{spaced});
  CHECK(PythonOf({(scratch / "long").string()})->words == Words{python});
  CHECK(PythonOf({python, "train.py"})->words == Words{python});
  CHECK(PythonOf({(scratch / "torchrun").string()})->words == Words{python});
  const std::string path = std::getenv("PATH");
  setenv("PATH", (scratch / "").string().c_str(), 1);
  const Result<PythonStart> launched = PythonOf({"launcher"});
  setenv("PATH", path.c_str(), 1);
  REQUIRE(launched.ok());
  CHECK(fs::path(launched->words.back()).filename() == "python3.11");
  CHECK_FALSE(PythonOf({(scratch / "script.sh").string()}).ok());
  CHECK_FALSE(PythonOf({(scratch / "nothing").string()}).ok());
  trace::WriteFile(scratch / "train.py", "");
  CHECK(PythonOf({(scratch / "train.py").string()}).error().message.find("put python before it") !=
        std::string::npos);
}

TEST_CASE("What stands before Python is kept, and Python is asked through it") {
  const trace::Scratch scratch;
  const std::string python = (scratch / "python3.11").string();
  WriteProgram(python, "#!/bin/sh\n");
  const std::string torchrun = (scratch / "torchrun").string();
  WriteProgram(torchrun, "#!" + python + "\n");
  const std::string uv = (scratch / "uv").string();
  WriteProgram(uv, "#!/bin/sh\n");
  const auto words = [](const Words& command) { return PythonOf(command)->words; };
  CHECK(words({"env", "A=python", python, "train.py"}) == Words{"env", "A=python", python});
  CHECK(words({"nice", "-n", "5", "env", torchrun, "train.py"}) == Words{"nice", "-n", "5", "env", python});
  CHECK(PythonOf({"env", "A=1", python, "train.py"})->place == 2);
  const Words record = {"env", "tidemark", "record", "--stacks", "python", "--", python};
  CHECK(words({"env", "tidemark", "record", "--stacks", "python", "--", python, "train.py"}) == record);
  CHECK(words({uv, "run", "--with", "numpy", "train.py", "--lr", "1"}) ==
        Words{uv, "run", "--with", "numpy", "python"});
  CHECK(words({uv, "run", "--with", "accelerate", "train.py"}) ==
        Words{uv, "run", "--with", "accelerate", "python"});
  CHECK(words({uv, "run", "--python", "python3.12", "x.py"}) ==
        Words{uv, "run", "--python", "python3.12", "python"});
  CHECK(words({uv, "run", "-q", "python3", "x.py"}) == Words{uv, "run", "-q", "python3"});
  const std::string conda = (scratch / "conda").string();
  WriteProgram(conda, "#!/bin/sh\n");
  CHECK(words({conda, "run", "-n", "python311", "python", "x.py"}) ==
        Words{conda, "run", "-n", "python311", "python"});
  CHECK(words({conda, "run", "--no-capture-output", "python", "x.py"}) ==
        Words{conda, "run", "--no-capture-output", "python"});
  CHECK(words({uv, "run", "torchrun", "train.py"}) == Words{uv, "run", "python"});
  CHECK(words({uv, "run", "python3", "train.py"}) == Words{uv, "run", "python3"});
  const Result<PythonStart> shell = PythonOf({"sh", "python_run.sh"});
  REQUIRE_FALSE(shell.ok());
  CHECK(shell.error().message.find("where Python is started") != std::string::npos);
}

TEST_CASE("What takes the environment away is told of before anything is started on it") {
  const trace::Scratch scratch;
  const fs::path site = scratch / "site";
  WriteLibrary(site / "torch" / "lib" / "libtorch_cuda.so", "abcd");
  const std::string python = (scratch / "python").string();
  WriteProgram(python, "#!/bin/sh\necho 'tidemark {\"site\": \"" + site.string() +
                           "\", \"version\": \"2.6.0\", \"cuda\": \"12.4\", \"asked\": '"
                           "$([ $TIDEMARK_ASKED ] && echo true || echo false)'}'\n");
  CHECK(FindTorch({"env", "A=1", python}).ok());
  const Result<TorchInstallation> torch = FindTorch({"env", "-i", python});
  REQUIRE_FALSE(torch.ok());
  CHECK(torch.error().message.find("takes away the environment") != std::string::npos);
}

TEST_CASE("The torch is what its Python says, told from other builds by its library") {
  const trace::Scratch scratch;
  const fs::path site = scratch / "site";
  WriteLibrary(site / "torch" / "lib" / "libtorch_cuda.so", std::string("\x01\xab\xff\x10", 4));
  WriteProgram(scratch / "python", Answering(R"({"site": ")" + site.string() +
                                             R"(", "version": "2.6.0+cu124", "cuda": "12.4"})"));
  const Result<TorchInstallation> torch = FindTorch({(scratch / "python").string()});
  REQUIRE(torch.ok());
  CHECK(torch->site == site);
  CHECK(torch->version == "2.6.0+cu124");
  CHECK(torch->cuda == "12.4");
  CHECK(torch->build_id == "01abff10");
}

TEST_CASE("What is no torch for a GPU is said in a sentence") {
  const trace::Scratch scratch;
  const auto message = [&](const std::string& program) {
    WriteProgram(scratch / "python", program);
    const Result<TorchInstallation> torch = FindTorch({(scratch / "python").string()});
    REQUIRE_FALSE(torch.ok());
    return torch.error().message;
  };
  CHECK(message(Answering(R"({"site": null})")).find("There is no torch in") == 0);
  CHECK(message(Answering(R"({"site": "/s", "version": "2.9.0+cpu", "cuda": null})")).find("without CUDA") !=
        std::string::npos);
  CHECK(message(Answering(R"({"site": "/s", "version": "2.9.0", "cuda": "12.4"})")).find("cannot be read") !=
        std::string::npos);
  CHECK(message("#!/bin/sh\necho it broke >&2\nexit 3\n").find("it broke") != std::string::npos);
  CHECK(message(Answering("{broken")).find("gave no answer") != std::string::npos);
}

TEST_CASE("Damaged libraries have no build id") {
  const trace::Scratch scratch;
  const fs::path file = scratch / "library.so";
  std::ofstream(file) << "text";
  CHECK_FALSE(BuildIdOf(file).ok());
  WriteLibrary(file, "abcd");
  REQUIRE(BuildIdOf(file).ok());
  for (uintmax_t bytes = 0; bytes < fs::file_size(file); ++bytes) {
    const fs::path cut = scratch / "cut.so";
    fs::copy_file(file, cut, fs::copy_options::overwrite_existing);
    fs::resize_file(cut, bytes);
    CHECK_FALSE(BuildIdOf(cut).ok());
  }
}

}  // namespace
}  // namespace tidemark::phantom
