// What techniques that a person's program does not use itself make of it: what was tried, and its answers as
// they come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiler/base/thread_annotations.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/program_order.h"
#include "profiler/session/run.h"

namespace tidemark::gui {

struct TechniqueRow {
  session::TechniqueOrder order;
  std::optional<session::TechniqueAnswer> answer = {};  // none = there is none, or not yet
};

// Plain data; the UI thread's.
struct ProgramTechniques {
  phantom::Card card;              // that the phantom is
  std::vector<TechniqueRow> rows;  // the first is the run that was shown then
  bool goes_on = true;
  std::vector<std::string> notes;  // what to doubt, once it has ended
  std::string error;               // why it could not go on; "" = it could

  bool has_answers() const;  // of what was tried
  // With what CUDA itself needs.
  int64_t TakenBytes(const session::TechniqueAnswer& answer) const {
    return answer.held.reserved_bytes + card.context_bytes;
  }
};

// Whether both are one program with the same arguments on the same card, with whatever techniques, and
// whatever of it is told.
bool IsSameProgram(const session::ProgramOrder& one, const session::ProgramOrder& other);

// What a run that is shown has come to on the card, as `tidemark fit` tells it; none while it goes on.
// O(events).
std::optional<session::TechniqueAnswer> AnswerOf(const timeline::View& view, const session::RunStatus& status,
                                                 const phantom::Card& card);

// Where the thread that tries them leaves the answers until the UI thread takes them. Any thread.
class TechniqueInbox {
 public:
  // In the place of what was told of that order before.
  void Put(size_t order, const session::TechniqueAnswer& answer);
  // To the rows after the first. True if there was anything new.
  bool MoveTo(ProgramTechniques& techniques);

 private:
  Mutex mutex_;
  std::map<size_t, session::TechniqueAnswer> answers_ TIDEMARK_GUARDED_BY(mutex_);
  bool has_new_ TIDEMARK_GUARDED_BY(mutex_) = false;
};

}  // namespace tidemark::gui
