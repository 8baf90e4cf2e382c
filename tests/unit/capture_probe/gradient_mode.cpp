#include "tests/unit/capture_probe/gradient_mode.h"

namespace c10 {
namespace {

thread_local bool records_gradients = true;

}  // namespace

bool GradMode::is_enabled() { return records_gradients; }
void GradMode::set_enabled(bool enabled) { records_gradients = enabled; }

}  // namespace c10
