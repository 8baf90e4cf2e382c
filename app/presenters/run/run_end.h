// What is to be said over a run that has ended, or from which nothing comes any more, and what of it was
// lost. Pure.
#pragma once

#include <string>

#include "profiler/events/run_description.h"
#include "profiler/session/run.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

struct EndNotice {
  std::string sentence;  // "" = nothing is to be said
  bool bad = false;      // it did not end as it should
};

// How a run ended that did not end well, and before that which memory it lacked, where its recording knows
// and `ending` does not tell; "" where that is "".
std::string EndingInWords(const session::RunStatus& status, const std::string& ending,
                          const timeline::View& view);

// Of a run of ours: how it ended, or what went wrong while it goes on.
EndNotice NoticeOfRun(const session::RunStatus& status, const timeline::View* view);
// Of a recording that was opened: how the run ended badly that it is of.
EndNotice NoticeOfOpened(const session::RunStatus& status, const events::RunDescription& description,
                         const timeline::View* view);
// Of one that is followed: also that nothing comes any more.
EndNotice NoticeOfFollowed(const session::RunStatus& status, const events::RunDescription& description,
                           const timeline::View* view);

}  // namespace tidemark::presenters
