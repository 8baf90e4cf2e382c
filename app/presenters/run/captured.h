// What has come of a run so far: of what there were events at all, whatever their sources say of themselves.
// Of a run that grows, taken as it grows. One thread.
#pragma once

#include <string>

#include "app/presenters/moment/level_chain.h"
#include "profiler/timeline/timeline.h"

namespace tidemark::presenters {

class Captured {
 public:
  // The next of the events that the view has beyond those that were taken, at most so many. O(most).
  void Take(const timeline::View& view, timeline::EventIndex most);
  // There are more of them: what has not come may be among those.
  bool IsBehind(const timeline::View& view) const { return taken_ < view.end(); }

  bool blocks() const { return blocks_; }  // or segments, of an allocator
  bool layers() const { return layers_; }  // of modules that were called
  // "steps, phases, layers, scopes", those that have come; "" if none has.
  std::string CourseText() const;
  const DriverLibraries& libraries() const { return libraries_; }

 private:
  void Take(const events::Event& event);

  timeline::EventIndex taken_ = 0;
  bool blocks_ = false;
  bool steps_ = false;
  bool phases_ = false;
  bool layers_ = false;
  bool scopes_ = false;
  DriverLibraries libraries_;
};

}  // namespace tidemark::presenters
