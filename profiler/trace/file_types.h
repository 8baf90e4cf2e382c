// What can be opened, in words, and how such files are usually named: for dialogs, help and refusals. What a
// file is, is told by its content alone (importers/import.h). Any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace tidemark::trace {

struct FileType {
  std::string_view name;                      // "recordings"
  std::span<const std::string_view> endings;  // ".tide"
};
std::span<const FileType> OpenableTypes();

bool HasEndingOf(const FileType& type, std::string_view file_name);
bool HasOpenableEnding(std::string_view file_name);

std::string OpenableTypesInWords();  // "recordings (.tide), PyTorch memory snapshots (.pickle, ...) and ..."

}  // namespace tidemark::trace
