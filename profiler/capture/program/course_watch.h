// Tells the course of a training (profiler/capture/course/course.h) when backward and optimizers run.
#pragma once

namespace tidemark::capture {

// Before the first operator that is to be seen.
void WatchCourse();

}  // namespace tidemark::capture
