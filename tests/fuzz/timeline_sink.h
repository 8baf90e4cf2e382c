// Where a fuzzer's events go: the same store as everywhere, and then what a window would ask of it. A fuzzer
// looks for crashes, hangs and memory; what is shown of a file is the unit tests' concern.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <span>

#include "profiler/timeline/timeline.h"

namespace tidemark::trace {

class TimelineSink {
 public:
  std::function<void(std::span<const events::Event>)> Accept() {
    return [this](std::span<const events::Event> events) { builder_.Append(events); };
  }
  std::shared_ptr<const timeline::View> Look() {
    const auto view = builder_.Publish();
    std::array<timeline::Bucket, 8> buckets;
    view->Envelope(timeline::Series::kAllocated, view->first(), view->end(), buckets);
    if (!view->empty()) view->StateAt(view->PeakIn(timeline::Series::kAllocated, 0, view->end()).index);
    return view;
  }

 private:
  timeline::Builder builder_;
};

}  // namespace tidemark::trace
