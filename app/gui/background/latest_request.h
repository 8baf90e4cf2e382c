// Whether what somebody asked for beside the window is still wanted when its answer comes: nothing but the
// latest is, unless something else is shown by then. The UI thread asks and drops.
#pragma once

#include <atomic>
#include <memory>

namespace tidemark::gui {

// Kept by what looks for the answer; any thread.
class Request {
 public:
  bool wanted() const { return *wanted_; }

 private:
  friend class LatestRequest;
  std::shared_ptr<std::atomic<bool>> wanted_ = std::make_shared<std::atomic<bool>>(true);
};

class LatestRequest {
 public:
  LatestRequest() { Drop(); }
  Request Begin() {
    Drop();
    return latest_ = Request();
  }
  void Drop() { *latest_.wanted_ = false; }
  const Request& latest() const { return latest_; }

 private:
  Request latest_;
};

}  // namespace tidemark::gui
