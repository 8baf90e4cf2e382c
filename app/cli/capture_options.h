// --stacks of the commands that record a program: the languages whose call stacks are told; and --kernels of
// these and of train: whether what the GPU does is told.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace tidemark::cli {

void AddStacksOption(CLI::App& command, std::vector<std::string>& languages);

// "NAME=value" for the program; the languages of AddStacksOption.
std::string StacksEntry(const std::vector<std::string>& languages);

void AddKernelsOption(CLI::App& command, bool& kernels);

}  // namespace tidemark::cli
