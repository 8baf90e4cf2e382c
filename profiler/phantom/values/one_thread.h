// While it lives, what this thread has PyTorch compute on the CPU it computes alone: to wake others takes
// longer than what there is to compute, where they are busy.
#pragma once

// Of the OpenMP that this torch came with, if it has one.
extern "C" {
// NOLINTBEGIN(readability-identifier-naming): its names
__attribute__((weak)) int omp_get_max_threads();
__attribute__((weak)) void omp_set_num_threads(int threads);
// NOLINTEND(readability-identifier-naming)
}

namespace tidemark::phantom {

class OnOneThread {
 public:
  OnOneThread() {
    if (omp_get_max_threads == nullptr || omp_set_num_threads == nullptr) return;
    before_ = omp_get_max_threads();
    omp_set_num_threads(1);
  }
  ~OnOneThread() {
    if (before_ > 0) omp_set_num_threads(before_);
  }
  OnOneThread(const OnOneThread&) = delete;
  OnOneThread& operator=(const OnOneThread&) = delete;

 private:
  int before_ = 0;
};

}  // namespace tidemark::phantom
