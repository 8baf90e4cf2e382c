// Wrong usage, as one sentence that says what is wrong and what to do. CLI11's own messages differ from
// version to version and leave the second half out.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

namespace tidemark::cli {

// For what parsing threw.
std::string SentenceFor(const CLI::ParseError& error, const CLI::App& application);

// Whether the subcommand takes a program behind --.
bool RunsPrograms(const CLI::App& command);

// Whether what stands in the place of a subcommand is a file: one that is there, or a name that none but
// files have. Options of open may stand before it. The application has been parsed, and allows extras.
bool NamesFileToOpen(const CLI::App& application);

// For the first argument that neither the application nor its chosen subcommand knows (both must allow
// extras), with the name that was probably meant; nothing if all were understood.
std::optional<std::string> SentenceForUnknownArgument(const CLI::App& application);

}  // namespace tidemark::cli
