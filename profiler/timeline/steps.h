// Where an event lies among a view's steps, and which settings were in force there. Pure functions, any
// thread. O(log steps), unless said otherwise. What they return points into the view.
#pragma once

#include <cstddef>
#include <string>

#include "profiler/timeline/timeline.h"

namespace tidemark::timeline {

// The first step that begins after the event; View::steps().end() where none does.
Sequence<Step>::const_iterator FirstStepAfter(const View& view, EventIndex index);

// The latest step that began with the event or before it, over or not; null where the view has none.
const Step* LatestStepAt(const View& view, EventIndex index);

// The step that the event lies in, its kStepBegin and its kStepEnd included; null between steps.
const Step* StepAt(const View& view, EventIndex index);

// How many of View::steps() there are up to the last that is complete, it included: those after it have no
// end. O(those).
size_t StepsUntilLastComplete(const View& view);
const Step* LastCompleteStep(const View& view);  // null where none is

// The settings (JSON) that the step ran with, or the step that the event lies in; null where none are told.
const std::string* SettingsOf(const View& view, const Step& step);
const std::string* SettingsAt(const View& view, EventIndex index);

// Whether the run began anew after the step of an event, or the latest before it: steps are numbered one by
// one, from 0 where it begins. Lost steps may hide it.
bool HasBegunAnewSince(const View& view, EventIndex index);

// Whether the step before ran with others, or a run begins with it: it makes what later ones find.
bool IsFirstWithItsSettings(const View& view, const Step& step);

// The first of the steps, one after the other, that ran with the settings of the last complete one; null
// where no step is complete. O(steps).
const Step* FirstWithLastSettings(const View& view);

// Where the most is allocated of [begin, end), or of View::peak_level(): at the peak of the latest step that
// goes as high, as Step::peak has it; where it first is as much, if none does. All that tells of a run's peak
// tells of this moment. As View::PeakIn, and O(steps).
EventIndex HighestMoment(const View& view, EventIndex begin, EventIndex end);

// Those put in force last, which need not be the last that View::settings() met: they may be in force again.
// Null where none are told. O(markers since).
const std::string* LatestSettings(const View& view);

}  // namespace tidemark::timeline
