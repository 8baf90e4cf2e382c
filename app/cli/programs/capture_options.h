// --stacks of the commands that record a program: the languages whose call stacks are told; --kernels of
// these and of train: whether what the GPU does is told; and --without of record: the sources left out.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tidemark::cli {

void AddStacksOption(CLI::App& command, std::vector<std::string>& languages);

// "NAME=value" for the program; the languages of AddStacksOption.
std::string StacksEntry(const std::vector<std::string>& languages);

void AddKernelsOption(CLI::App& command, bool& kernels);

// Names of sources (events::NameOf).
void AddWithoutOption(CLI::App& command, std::vector<std::string>& sources);

// "NAME=value" for the program; the sources of AddWithoutOption.
std::string WithoutEntry(const std::vector<std::string>& sources);

}  // namespace tidemark::cli
