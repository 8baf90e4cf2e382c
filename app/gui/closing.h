// How the window closes: what is being written is finished first, then the person is asked where a program
// would end or a run be lost. UI thread only.
#pragma once

#include <string>

#include "app/gui/shell/shell.h"

namespace tidemark::gui {

// By closing now.
struct AtStake {
  std::string program = {};  // that runs, and would end: "train.py"; "" = none
  std::string run = {};      // that nobody saved: "SimpleConvNet on phantom NVIDIA H200"; "" = it has no name
  bool loses_run = false;
  bool can_be_kept = true;  // there is a folder for such runs
};
// Nothing is to be asked where neither a program ends nor a run is lost.
HeldQuestion QuestionBeforeClosing(const AtStake& at_stake);

class Closing {
 public:
  // Somebody wants the window to close.
  void Begin() { waits_ = true; }
  // What somebody asked to be written could not be: the window stays, to say so.
  void StayOpen() { waits_ = false; }
  // True once for each Begin(), as soon as nothing is being written: it is to be asked, and closed.
  bool IsDue(bool is_writing);
  // No question is open any more. `is_run_given_up`: the run that is shown is kept by now, or to be lost, as
  // the person has said.
  void Close(bool is_run_given_up);

  bool is_wanted() const { return is_wanted_; }
  bool is_run_given_up() const { return is_run_given_up_; }

 private:
  bool waits_ = false;
  bool is_wanted_ = false;
  bool is_run_given_up_ = false;
};

}  // namespace tidemark::gui
