#include "profiler/capture/cupti/functions.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <string>
#include <string_view>

namespace tidemark::capture::cupti {
namespace {

// Of those that are installed the first. CUDA 11 counted them by its minor versions; the last name is that of
// a toolkit for compiling.
constexpr std::array kSonames = {"libcupti.so.13", "libcupti.so.12",   "libcupti.so.14",
                                 "libcupti.so.15", "libcupti.so.11.8", "libcupti.so"};

// Of whatever version.
int FindLoaded(dl_phdr_info* library, size_t /*bytes*/, void* path) {
  const std::string_view name = library->dlpi_name;
  if (!name.substr(name.rfind('/') + 1).starts_with("libcupti.so")) return 0;
  *static_cast<std::string*>(path) = name;
  return 1;
}

// First what is loaded: two CUPTIs in one process would not know of one another.
void* FindLibrary() {
  if (void* const loaded = LoadedLibrary()) return loaded;
  for (const char* soname : kSonames) {
    if (void* const library = dlopen(soname, RTLD_NOW)) return library;
  }
  return nullptr;
}

class Table {
 public:
  explicit Table(void* library) : library_(library) {}

  template <typename Function>
  void Find(const char* name, Function*& function, bool required = true) {
    function = reinterpret_cast<Function*>(dlsym(library_, name));
    if (function == nullptr && required && missing_.empty()) missing_ = name;
  }
  const std::string& missing() const { return missing_; }

 private:
  void* library_;
  std::string missing_;
};

}  // namespace

void* LoadedLibrary() {
  std::string path;
  dl_iterate_phdr(FindLoaded, &path);
  return path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD);
}

Result<Functions> LoadFunctions() {
  void* const library = FindLibrary();
  if (library == nullptr) {
    return Error{
        "absent: CUPTI is not installed, so what the CUDA driver hands out is not seen. PyTorch's wheels "
        "bring it, and so does the package cuda-cupti."};
  }
  Functions functions;
  Table table(library);
  table.Find("cuptiGetVersion", functions.get_version);
  table.Find("cuptiSubscribe", functions.subscribe);
  table.Find("cuptiSubscribe_v2", functions.subscribe_named, false);
  table.Find("cuptiUnsubscribe", functions.unsubscribe);
  table.Find("cuptiEnableCallback", functions.enable_callback);
  table.Find("cuptiActivityRegisterCallbacks", functions.register_buffers);
  table.Find("cuptiActivityEnable", functions.enable_kind);
  table.Find("cuptiActivityDisable", functions.disable_kind);
  table.Find("cuptiActivityEnableAllocationSource", functions.enable_source, false);
  table.Find("cuptiActivityGetAttribute", functions.get_attribute, false);
  table.Find("cuptiActivityFlushAll", functions.flush_all);
  table.Find("cuptiActivityGetNextRecord", functions.next_record);
  table.Find("cuptiActivityGetNumDroppedRecords", functions.dropped_records);
  if (!table.missing().empty()) {
    return Error{"absent: the CUPTI that is installed has no " + table.missing() +
                 ", so what the CUDA driver hands out is not seen. Install one of CUDA 12 or 13."};
  }
  return functions;
}

}  // namespace tidemark::capture::cupti
