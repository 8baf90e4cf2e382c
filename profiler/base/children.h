// How processes end that this one has started. Any thread, but where said otherwise.
#pragma once

#include <sys/types.h>

#include <optional>

namespace tidemark {

// A program may be started with SIGCHLD ignored; then the kernel keeps for nobody how its children end. First
// thing in main, before there are other threads.
void HearOfChildren();
// Whether it was so: what others start through us expects the signals that it would have without.
bool WereChildrenIgnored();

// Waits for its end, which waitpid tells; nothing where the kernel kept it for nobody.
std::optional<int> WaitStatusOf(pid_t child);
// The exit code that a wait status tells, as shells do: 128 + N if signal N ended it.
int ExitCodeOfStatus(int wait_status);

}  // namespace tidemark
