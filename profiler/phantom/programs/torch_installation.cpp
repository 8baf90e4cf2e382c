#include "profiler/phantom/programs/torch_installation.h"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>

#include "profiler/base/command.h"
#include "profiler/phantom/programs/python_words.h"

namespace tidemark::phantom {
namespace {

namespace fs = std::filesystem;

// Run by the program's Python. The folder that it stands in is not one to import from. torch/version.py
// imports nothing of torch.
constexpr const char* kAsked = "TIDEMARK_ASKED";  // reaches the program as the phantom's variables would
constexpr const char* kQuestion = R"(
import sys
sys.path = [folder for folder in sys.path if folder]
import importlib.util, json, os
answer = {"site": None, "version": "", "cuda": None, "python": sys.executable, "asked": "TIDEMARK_ASKED" in os.environ}
found = importlib.util.find_spec("torch")
if found and found.origin:
    folder = os.path.dirname(os.path.realpath(found.origin))
    answer["site"] = os.path.dirname(folder)
    said = {}
    with open(os.path.join(folder, "version.py")) as file:
        exec(compile(file.read(), "version.py", "exec"), said)
    answer["version"] = str(said["__version__"])
    answer["cuda"] = said.get("cuda")
print("tidemark", json.dumps(answer))
)";

// What a shell starts in its place, as pip writes it where Python's path is too long for a first line or has
// a space: '''exec' "/my venv/bin/python" "$0" "$@". Nothing if the line is none of that kind.
std::optional<std::string> StartedByShell(const std::string& line) {
  constexpr std::string_view kExec = "'''exec' ";
  if (!line.starts_with(kExec)) return {};
  std::istringstream rest(line.substr(kExec.size()));
  const auto first = static_cast<char>(rest.peek());
  std::string word;
  if (first == '"' || first == '\'') {
    rest >> std::quoted(word, first);
  } else {
    rest >> word;
  }
  return word;
}

// "#!/usr/bin/env python3" and "#!/venv/bin/python"; nothing if the file does not begin like that.
std::optional<std::string> InterpreterOf(const fs::path& script) {
  std::ifstream file(script, std::ios::binary);
  std::string line;
  char begin[2] = {};
  if (!file.read(begin, 2) || begin[0] != '#' || begin[1] != '!' || !std::getline(file, line)) return {};
  std::istringstream words(line);
  std::string word;
  words >> word;
  if (fs::path(word).filename() == "env") {
    do {
      words >> word;
    } while (words && word.rfind('-', 0) == 0);
  }
  std::getline(file, line);
  return StartedByShell(line).value_or(word);
}

uint64_t RoundUp(uint64_t bytes) { return (bytes + 3) / 4 * 4; }

// The note GNU / NT_GNU_BUILD_ID of a PT_NOTE segment's bytes.
std::optional<std::string> BuildIdIn(const std::string& notes) {
  static constexpr char kHex[] = "0123456789abcdef";
  uint64_t offset = 0;
  Elf64_Nhdr note{};
  while (offset + sizeof note <= notes.size()) {
    std::memcpy(&note, notes.data() + offset, sizeof note);
    const uint64_t name = offset + sizeof note;
    const uint64_t content = name + RoundUp(note.n_namesz);
    const uint64_t end = content + RoundUp(note.n_descsz);
    if (end > notes.size()) return {};
    if (note.n_type == NT_GNU_BUILD_ID && notes.compare(name, 3, "GNU") == 0) {
      std::string text;
      for (uint64_t i = content; i < content + note.n_descsz; ++i) {
        const auto byte = static_cast<uint8_t>(notes[i]);
        text += {kHex[byte >> 4], kHex[byte & 15]};
      }
      return text;
    }
    offset = end;
  }
  return {};
}

// The Python behind a word: itself, or the interpreter of a script of its own.
std::optional<fs::path> PythonBehind(const std::string& word) {
  std::optional<fs::path> program = InPath(word);
  if (!program || IsPython(program->string())) return program;
  const std::optional<std::string> interpreter = InterpreterOf(*program);
  const std::optional<fs::path> python = interpreter ? InPath(*interpreter) : std::nullopt;
  return python && IsPython(python->string()) ? python : std::nullopt;
}

Result<TorchInstallation> Understand(const std::vector<std::string>& start, const std::string& answer) {
  const nlohmann::json json = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object()) return Error{start.back() + " gave no answer about its torch: " + answer + "."};
  if (start.size() > 1 && !json.value("asked", false)) {
    return Error{
        start.front() +
        " takes away the environment in which the program would find the phantom GPU, as env -i, sudo "
        "and ssh do. Leave it out, or write tidemark phantom -- behind it, before Python."};
  }
  const fs::path python = json.value("python", start.back());
  if (!json["site"].is_string()) {
    return Error{"There is no torch in " + python.string() +
                 ". Install it there (pip install torch), or name the Python that has it."};
  }
  TorchInstallation installation;
  installation.python = python;
  installation.site = json["site"].get<std::string>();
  installation.version = json["version"].get<std::string>();
  if (!json["cuda"].is_string()) {
    return Error{"The torch of " + python.string() + " (" + installation.version +
                 ") was built without CUDA, so it asks no GPU for memory. Install one with CUDA (pip install "
                 "torch, without a CPU index)."};
  }
  installation.cuda = json["cuda"].get<std::string>();
  Result<std::string> build_id = BuildIdOf(installation.site / "torch" / "lib" / "libtorch_cuda.so");
  if (!build_id) return build_id.error();
  installation.build_id = *build_id;
  return installation;
}

}  // namespace

std::optional<fs::path> InPath(const std::string& name) {
  std::error_code failure;  // what cannot be looked at is not there
  if (name.find('/') != std::string::npos)
    return fs::exists(name, failure) ? std::optional<fs::path>(name) : std::nullopt;
  const char* path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (access(file.c_str(), X_OK) == 0 && fs::is_regular_file(file, failure)) return file;
  }
  return std::nullopt;
}

Result<PythonStart> PythonOf(const std::vector<std::string>& command) {
  const std::string& program = command.front();
  if (std::error_code failure;
      program.ends_with(".py") && access(program.c_str(), X_OK) != 0 && fs::exists(program, failure))
    return Error{program + " is a script, which Python runs: put python before it, as in: python " + program +
                 "."};
  if (!InPath(program))
    return Error{"There is no program " + program +
                 ". Name one that can be started, as in: python train.py."};
  if (const std::optional<fs::path> python = PythonBehind(command.front())) return PythonStart{{*python}, 0};
  const bool has_its_own = BringsItsOwnPython(command.front());
  for (size_t i = 1; i < command.size(); ++i) {
    const std::string& word = command[i];
    if (has_its_own && TakesNextWord({command.front(), command[i - 1]})) continue;
    if (command[i - 1] == "--stacks") continue;  // of tidemark record: whose, python or c++
    std::optional<fs::path> python;
    if (IsPython(word)) {
      python = word;
    } else if (has_its_own && IsRunByPython(word)) {
      python = "python";
    } else if (!has_its_own) {
      python = PythonBehind(word);
    }
    if (!python) continue;
    PythonStart start{{command.begin(), command.begin() + static_cast<std::ptrdiff_t>(i)}, i};
    start.words.push_back(python->string());
    return start;
  }
  return Error{
      command.front() +
      " is neither Python nor a script that Python runs, and nothing behind it is, so which torch its "
      "program will have is not known. Write tidemark phantom -- where Python is started (inside, if "
      "that is a script), as in: tidemark phantom -- python train.py."};
}

Result<TorchInstallation> FindTorch(const std::vector<std::string>& start,
                                    const std::function<bool()>& goes_on) {
  const std::string& python = start.back();
  std::vector<std::string> question = start;
  question.insert(question.end(), {"-c", kQuestion});
  const Result<CommandOutcome> asked =
      RunCommand(question, {true, {}, goes_on, {std::string(kAsked) + "=1"}});
  if (!asked) return asked.error();
  if (goes_on && !goes_on()) {  // whatever Python made of it: Ctrl-C reaches it, too
    return Error{"Stopped as asked, before " + python + " had told which torch it has."};
  }
  // What start-up hooks print comes before it.
  const size_t answer = asked->output.rfind("tidemark {");
  if (asked->exit_code != 0 || answer == std::string::npos) {
    return Error{python + " cannot tell which torch it has: " +
                 asked->output.substr(asked->output.size() - std::min<size_t>(asked->output.size(), 300))};
  }
  const size_t begin = asked->output.find('{', answer);
  return Understand(start, asked->output.substr(begin, asked->output.find('\n', begin) - begin));
}

Result<std::string> BuildIdOf(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  Elf64_Ehdr header{};
  if (!stream.read(reinterpret_cast<char*>(&header), sizeof header)) {
    return Error{file.string() + " cannot be read: " + std::strerror(errno) +
                 ". This torch has no CUDA library; install one that was built with CUDA."};
  }
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(Elf64_Phdr)) {
    return Error{file.string() + " is no library for this kind of machine. Install torch again."};
  }
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    stream.seekg(static_cast<std::streamoff>(header.e_phoff + i * sizeof segment));
    if (!stream.read(reinterpret_cast<char*>(&segment), sizeof segment)) break;
    constexpr uint64_t kMostBytes = 1 << 20;
    if (segment.p_type != PT_NOTE || segment.p_filesz > kMostBytes) continue;
    std::string notes(segment.p_filesz, '\0');
    stream.seekg(static_cast<std::streamoff>(segment.p_offset));
    if (!stream.read(notes.data(), static_cast<std::streamsize>(notes.size()))) break;
    if (std::optional<std::string> build_id = BuildIdIn(notes)) return std::move(*build_id);
  }
  return Error{file.string() +
               " has no build id, by which its stand-ins would be kept. Install torch from its "
               "official wheel."};
}

}  // namespace tidemark::phantom
