#include "profiler/phantom/device/python_place.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <map>
#include <sstream>

#include "profiler/base/whole_file.h"
#include "profiler/phantom/device/enclosing_loop.h"

namespace tidemark::phantom::device {
namespace {

struct Object;  // Python's, never looked into

template <typename Function>
void Find(const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

// Of Python's stable interface, from 3.9 on; found in the process, since no Python is linked.
struct Python {
  int (*is_initialized)() = nullptr;
  void* (*thread_state)() = nullptr;
  int (*lock)() = nullptr;
  void (*unlock)(int) = nullptr;
  Object* (*frame)() = nullptr;  // borrowed
  Object* (*frame_before)(Object*) = nullptr;
  Object* (*frame_code)(Object*) = nullptr;
  int (*frame_line)(Object*) = nullptr;
  Object* (*attribute)(Object*, const char*) = nullptr;
  const char* (*text)(Object*) = nullptr;
  void (*give_up)(Object*) = nullptr;
  void (*keep)(Object*) = nullptr;

  Python() {
    Find("Py_IsInitialized", is_initialized);
    Find("PyGILState_GetThisThreadState", thread_state);
    Find("PyGILState_Ensure", lock);
    Find("PyGILState_Release", unlock);
    Find("PyEval_GetFrame", frame);
    Find("PyFrame_GetBack", frame_before);
    Find("PyFrame_GetCode", frame_code);
    Find("PyFrame_GetLineNumber", frame_line);
    Find("PyObject_GetAttrString", attribute);
    Find("PyUnicode_AsUTF8", text);
    Find("Py_DecRef", give_up);
    Find("Py_IncRef", keep);
  }

  bool IsComplete() const {
    return is_initialized != nullptr && thread_state != nullptr && lock != nullptr && unlock != nullptr &&
           frame != nullptr && frame_before != nullptr && frame_code != nullptr && frame_line != nullptr &&
           attribute != nullptr && text != nullptr && give_up != nullptr && keep != nullptr;
  }
};

// A text that the code of a frame has: "co_filename", "co_name".
std::string TextOf(const Python& python, Object* frame, const char* attribute) {
  Object* code = python.frame_code(frame);
  Object* value = python.attribute(code, attribute);
  const char* read = value == nullptr ? nullptr : python.text(value);
  std::string text = read == nullptr ? "" : read;
  if (value != nullptr) python.give_up(value);
  python.give_up(code);
  return text;
}

std::string FileOf(const Python& python, Object* frame) { return TextOf(python, frame, "co_filename"); }

// What torch.compile wrote, wherever it keeps it: .../6j/c6j..., of 52 letters
// (torch/_inductor/codecache.py).
bool IsCompiled(std::string_view file) {
  constexpr size_t kNameSize = 52;
  constexpr std::string_view kEnding = ".py";
  const size_t name = file.rfind('/') + 1;
  if (name < 4 || file.size() - name != kNameSize + kEnding.size() || file[name] != 'c') return false;
  return file[name - 4] == '/' && file.substr(name - 3, 2) == file.substr(name + 1, 2);
}

// Takes the folder of torch/_C.cpython-311-x86_64-linux-gnu.so, with the slash at its end.
int TakeFolderOfTorch(dl_phdr_info* library, size_t, void* folder) {
  constexpr std::string_view kBegin = "/torch/_C.";
  const std::string_view file = library->dlpi_name;
  const size_t at = file.rfind(kBegin);
  if (at == std::string_view::npos) return 0;
  *static_cast<std::string*>(folder) = file.substr(0, at + std::string_view("/torch/").size());
  return 1;
}

// The one that this process has loaded, since a program's own folder may be called so, too.
bool IsInTorch(std::string_view file) {
  static std::atomic<const std::string*> known{nullptr};  // never destroyed: threads outlive main
  const std::string* folder = known.load(std::memory_order_acquire);
  if (folder == nullptr) {
    std::string found;
    if (dl_iterate_phdr(TakeFolderOfTorch, &found) == 0) return false;  // it may still come
    folder = new std::string(found);
    known.store(folder, std::memory_order_release);
  }
  return file.starts_with(*folder);
}

// And what we put around PyTorch's (profiler/phantom/programs/python), which is nobody's place either.
bool IsPyTorchs(std::string_view file) {
  return IsInTorch(file) || file.ends_with("/python/sitecustomize.py") ||
         file.find("/python/tidemark_") != std::string_view::npos || IsCompiled(file);
}

// A package's file from the package on, the user's own from the working folder on; empty = not below
// `folder`.
std::string_view Below(std::string_view file, std::string_view folder) {
  const size_t at = file.rfind(folder);
  return at == std::string_view::npos ? std::string_view() : file.substr(at + folder.size());
}

std::string_view NameInPackage(std::string_view file) {
  for (const std::string_view folder : {"/site-packages/", "/dist-packages/"}) {
    if (const std::string_view name = Below(file, folder); !name.empty()) return name;
  }
  return {};
}

bool IsUsersOwn(std::string_view file) {
  return !IsPyTorchs(file) && NameInPackage(file).empty() &&
         file.find("/lib/python3") == std::string_view::npos;
}

std::string NameOf(std::string_view file) {
  if (const std::string_view name = NameInPackage(file); !name.empty()) return std::string(name);
  std::array<char, 4096> folder{};
  if (getcwd(folder.data(), folder.size()) != nullptr) {
    const std::string here = std::string(folder.data()) + "/";
    if (file.starts_with(here)) return std::string(file.substr(here.size()));
  }
  return std::string(file.substr(file.rfind('/') + 1));
}

// From the innermost line outwards.
class PlaceReading {
 public:
  // Whether there is more to read further out.
  bool Take(const std::string& file, int line) {
    const std::string here = NameOf(file) + ":" + std::to_string(line);
    // Of PyTorch's own lines the innermost serves where there is no other.
    if (const bool is_pytorchs = IsPyTorchs(file); place_.empty() || (is_pytorchs_ && !is_pytorchs)) {
      place_ = here;
      is_pytorchs_ = is_pytorchs;
    }
    if (!IsUsersOwn(file)) return true;
    if (here != place_) place_ += " (called from " + here + ")";
    return false;
  }
  std::optional<std::string> Place() const { return place_.empty() ? std::nullopt : std::optional(place_); }

 private:
  std::string place_;
  bool is_pytorchs_ = false;
};

bool InnermostIsIn(const Python& python, std::string_view file_ending, std::string_view function) {
  Object* frame = python.frame();
  return frame != nullptr && FileOf(python, frame).ends_with(file_ending) &&
         (function.empty() || TextOf(python, frame, "co_name") == function);
}

// From the innermost frame outwards, until `take` says that there is no more to read.
template <typename Take>
void ReadFrames(const Python& python, const Take& take) {
  Object* frame = python.frame();
  if (frame == nullptr) return;
  python.keep(frame);
  while (frame != nullptr) {
    const bool more = take(frame, FileOf(python, frame), python.frame_line(frame));
    Object* before = more ? python.frame_before(frame) : nullptr;
    python.give_up(frame);
    frame = before;
  }
}

std::optional<std::string> InnermostPlace(const Python& python) {
  PlaceReading reading;
  ReadFrames(python, [&](Object*, const std::string& file, int line) { return reading.Take(file, line); });
  return reading.Place();
}

bool ComesFrom(const Python& python, std::string_view file_ending) {
  bool does = false;
  ReadFrames(python, [&](Object*, const std::string& file, int) {
    does = file.ends_with(file_ending);
    return !does && IsPyTorchs(file);
  });
  return does;
}

std::string InnermostLine(const Python& python) {
  std::string text;
  ReadFrames(python, [&](Object*, const std::string& file, int line) {
    std::istringstream source(WholeFileOrNothing(file));
    for (int i = 0; i < line && std::getline(source, text);) ++i;
    if (!source) text.clear();
    return false;
  });
  return text;
}

// What runs the program's own file may wait for ever, and is not asked.
bool IsInWhile(const Python& python) {
  bool is_in = false;
  ReadFrames(python, [&](Object* frame, const std::string& file, int line) {
    is_in = StandsInWhile(WholeFileOrNothing(file), line);
    return !is_in && TextOf(python, frame, "co_name") != "<module>";
  });
  return is_in;
}

LoopEnd EndOfInnermostFor(const Python& python) {
  thread_local std::map<std::pair<std::string, int>, LoopEnd> known;
  LoopEnd end = LoopEnd::kNone;
  ReadFrames(python, [&](Object*, const std::string& file, int line) {
    if (IsPyTorchs(file)) return false;
    const auto [found, is_new] = known.try_emplace({file, line}, LoopEnd::kNone);
    if (is_new) found->second = EndOfFor(WholeFileOrNothing(file), line);
    end = found->second;
    return false;
  });
  return end;
}

// What `read` finds, with Python's lock; `otherwise` where this process or this thread runs no Python.
template <typename Value, typename Read>
Value WithPython(Value otherwise, const Read& read) {
  static const Python python;
  if (!python.IsComplete() || python.is_initialized() == 0) return otherwise;
  // A thread that Python does not know runs none of it.
  if (python.thread_state() == nullptr) return otherwise;
  const int state = python.lock();
  Value value = read(python);
  python.unlock(state);
  return value;
}

}  // namespace

std::optional<std::string> PythonPlace() { return WithPython(std::optional<std::string>(), InnermostPlace); }

bool PythonIsIn(std::string_view file_ending, std::string_view function) {
  return WithPython(false,
                    [&](const Python& python) { return InnermostIsIn(python, file_ending, function); });
}

bool PythonComesFrom(std::string_view file_ending) {
  return WithPython(false, [&](const Python& python) { return ComesFrom(python, file_ending); });
}

std::string PythonLine() { return WithPython(std::string(), InnermostLine); }

LoopEnd PythonEndOfFor() { return WithPython(LoopEnd::kNone, EndOfInnermostFor); }

bool PythonIsInWhile() { return WithPython(false, IsInWhile); }

}  // namespace tidemark::phantom::device
