// Searches beside the window for what fits on a card: the largest batch first, then the changes of settings
// that make a step fit. UI thread only.
#pragma once

#include <memory>
#include <string>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/latest_request.h"
#include "app/presenters/advice/fit_advice.h"
#include "profiler/networks/specification.h"

namespace tidemark::gui {

class FitSearch {
 public:
  // `jobs` end before this does.
  explicit FitSearch(BackgroundJobs* jobs) : jobs_(jobs) {}
  FitSearch(const FitSearch&) = delete;
  FitSearch& operator=(const FitSearch&) = delete;

  const presenters::FitAdvice& found() const { return found_; }
  // One at a time: nothing happens while another goes on, and where `subject` is on no card that is known or
  // of a network that is not among `networks`.
  void Begin(const presenters::FitSubject& subject, const std::vector<networks::Network>& networks);
  // Memory ran out: what was found before does not hold, and ways out are to be searched as soon as may be.
  void WantWaysOut();
  bool TakeWanted();
  // What is shown from here on is something else; a search that goes on ends without an answer.
  void Forget();

 private:
  void FindCheapestChanges(const advice::FitQuestion& question, const std::shared_ptr<advice::Needs>& needs,
                           const Request& request);
  void End(const std::string& error);  // "" = it has an answer

  BackgroundJobs* jobs_;
  presenters::FitAdvice found_;
  LatestRequest latest_;
  bool are_ways_out_wanted_ = false;
};

}  // namespace tidemark::gui
