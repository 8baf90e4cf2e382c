#include "profiler/session/card_run.h"

#include <algorithm>
#include <utility>

#include "profiler/session/event_intake.h"
#include "profiler/trace/save.h"

namespace tidemark::session {
namespace {

constexpr size_t kBatch = 16384;

}  // namespace

CardRun::CardRun(std::shared_ptr<const Run> whole, uint8_t device)
    : whole_(std::move(whole)), device_(device), card_(device) {
  TakeBatch(*whole_->view());  // so that there is something to see at once
  thread_ = std::thread([this] { Follow(); });
}

CardRun::~CardRun() {
  stop_ = true;
  thread_.join();
}

std::shared_ptr<const timeline::View> CardRun::view() const {
  const MutexLock lock(mutex_);
  return view_;
}

RunStatus CardRun::status() const {
  RunStatus status = whole_->status();
  if (!has_all_ && status.state > RunState::kPaused) status.state = RunState::kRunning;
  return status;
}

void CardRun::Follow() {
  std::shared_ptr<const timeline::View> taken;
  while (!stop_) {
    const bool has_ended =
        whole_->status().state > RunState::kPaused;  // before the view, which is published first
    const std::shared_ptr<const timeline::View> view = whole_->view();
    if (view != taken) {
      while (!stop_ && TakeBatch(*view)) {
      }
    }
    taken = view;
    has_all_ = has_ended && !stop_;
    std::this_thread::sleep_for(kPublishEvery);
  }
}

bool CardRun::TakeBatch(const timeline::View& view) {
  // What the run has let go by now is told as far as it still knows it.
  if (next_event_ < view.first()) {
    Keep(trace::PrologueOf(view));
    next_event_ = view.first() + 1;
  }
  std::vector<events::Event> events;
  const timeline::EventIndex end = std::min<timeline::EventIndex>(view.end(), next_event_ + kBatch);
  events.reserve(end - next_event_);
  for (; next_event_ < end; ++next_event_) events.push_back(view.event(next_event_));
  Keep(std::move(events));
  if (next_event_ == view.end()) TakeWork(view);
  std::shared_ptr<const timeline::View> news = builder_.Publish();
  const MutexLock lock(mutex_);
  view_.swap(news);
  return next_event_ < view.end();
}

// All pages but the last are full, and are let go as a whole.
void CardRun::TakeWork(const timeline::View& view) {
  constexpr uint64_t kPage = timeline::DeviceWorkPage::kSize;
  const timeline::DeviceWorkPages& pages = view.device_work();
  const uint64_t let_go = view.health().work_let_go;
  next_work_ = std::max(next_work_, let_go);
  std::vector<events::Event> events;
  for (size_t i = (next_work_ - let_go) / kPage; i < pages.size(); ++i) {
    const timeline::DeviceWorkPage& page = pages[i];
    for (size_t k = (next_work_ - let_go) % kPage; k < page.count; ++k, ++next_work_)
      events.push_back(timeline::EventFrom(page.items[k]));
  }
  Keep(std::move(events));
}

void CardRun::Keep(std::vector<events::Event> events) {
  std::erase_if(events, [this](const events::Event& event) { return !card_.Keeps(event); });
  builder_.Append(events);
}

}  // namespace tidemark::session
