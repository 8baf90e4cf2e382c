#include "profiler/base/background_thread.h"

#include <pthread.h>
#include <signal.h>

#include <thread>
#include <utility>

namespace tidemark {

void RunInBackground(std::function<void()> body) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // a thread begins with those of who starts it
  std::thread(std::move(body)).detach();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace tidemark
