// Tries techniques on the person's program that is shown, beside the window. UI thread only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/gui/background/background_jobs.h"
#include "app/gui/background/latest_request.h"
#include "app/gui/background/program_techniques.h"
#include "profiler/phantom/cards/card.h"
#include "profiler/session/program_order.h"

namespace tidemark::gui {

class TechniqueRunner {
 public:
  // `jobs` end before this does. `trials`: empty = none can be tried.
  TechniqueRunner(BackgroundJobs* jobs, session::TechniqueTrials trials)
      : jobs_(jobs), trials_(std::move(trials)) {}
  TechniqueRunner(const TechniqueRunner&) = delete;
  TechniqueRunner& operator=(const TechniqueRunner&) = delete;

  // What is shown now, and how far it is; `order` null = nothing that was started from this window. Of
  // another program than before nothing is shown any more, and what goes on for it ends.
  void Look(const session::ProgramOrder* order, const std::shared_ptr<const timeline::View>& view,
            const session::RunStatus& status);
  // What there is to try of what is shown, its own order first; empty = nothing.
  const std::vector<session::TechniqueOrder>& to_try() const { return to_try_; }
  // Tries them on this card, which is the order's. Nothing where they are being tried, or there are none.
  void Begin(const phantom::Card& card, const std::function<void(bool is_cancelled)>& then);
  // Takes the answers that have come. True if there is anything new.
  bool Poll();
  // None = nothing was tried of what is shown.
  const ProgramTechniques* shown() const { return shown_ ? &*shown_ : nullptr; }

 private:
  void LookAtOwn(const std::shared_ptr<const timeline::View>& view, const session::RunStatus& status);
  void End(const Result<std::vector<std::string>>& notes, bool is_cancelled);
  void Close();

  BackgroundJobs* jobs_;
  session::TechniqueTrials trials_;
  std::optional<session::ProgramOrder> order_;  // of what is shown
  std::vector<session::TechniqueOrder> to_try_;
  std::optional<ProgramTechniques> shown_;
  std::weak_ptr<const timeline::View> own_view_;  // of which its own row's answer is
  std::shared_ptr<TechniqueInbox> inbox_;         // while it goes on
  LatestRequest latest_;
};

}  // namespace tidemark::gui
