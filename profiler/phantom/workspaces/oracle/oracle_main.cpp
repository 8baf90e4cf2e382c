// tidemark-cudnn-oracle: the process that holds the real cuDNN and answers a stand-in's questions about its
// plans (oracle_process.h starts it, messages.h is what they say). No kernel runs here and no GPU is looked
// for.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "profiler/phantom/workspaces/answer_cache.h"
#include "profiler/phantom/workspaces/messages.h"
#include "profiler/phantom/workspaces/oracle/complaints.h"
#include "profiler/phantom/workspaces/oracle/cudnn.h"
#include "profiler/phantom/workspaces/workspaces.h"

namespace {

using namespace tidemark::phantom::workspaces;

std::optional<int> SocketFromArguments(int count, char** arguments) {
  if (count != 3 || std::string_view(arguments[1]) != "--socket") return std::nullopt;
  const std::string_view text = arguments[2];
  int fd = -1;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), fd);
  if (error != std::errc{} || end != text.data() + text.size() || fcntl(fd, F_GETFD) < 0) return std::nullopt;
  return fd;
}

// Its parent is a program that may wait for all of its children, and that has not started this one.
void LeaveParent() {
  const pid_t child = fork();
  if (child != 0) _exit(child < 0 ? 1 : 0);
  setsid();
}

std::string VersionText(size_t version) {
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

struct Service {
  CudnnFunctions cudnn;
  std::unique_ptr<Planner> planner;
};

tidemark::Result<Service> Open(const Opening& opening) {
  tidemark::Result<CudnnFunctions> cudnn = CudnnFunctions::Load(opening.library_file);
  if (!cudnn) return cudnn.error();
  const size_t version = cudnn->get_version();
  if (version < static_cast<size_t>(kOldestVersion)) {
    return tidemark::Error{"this LibTorch brings cuDNN " + VersionText(version) +
                           ", and only 9.8 and later answer without a GPU"};
  }
  tidemark::Result<std::unique_ptr<Planner>> planner =
      Planner::WithoutDevice(*cudnn, opening.device_properties);
  if (!planner) return planner.error();
  return Service{*cudnn, std::move(*planner)};
}

std::string AnswerOf(Planner& planner, const Question& question) {
  if (question.plan == Question::kHeuristics) return Encode(planner.Heuristics(question.tree));
  if (question.plan >= 0) return Encode(planner.Plan(question.tree, question.plan));
  return planner.PlanJson(question.tree, Question::AsJson(question.plan));
}

// Answers until nobody asks any more.
void Serve(int socket, Planner& planner, Complaints& complaints, AnswerCache& answers) {
  while (const std::optional<std::string> message = ReceiveMessage(socket, -1)) {
    const std::optional<Question> question = DecodeQuestion(*message);
    if (!question) {
      SendMessage(socket, Unanswered("the process that asks cuDNN was sent what is no question"));
      continue;
    }
    const std::string answer = AnswerOf(planner, *question);
    if (const std::string& missing = complaints.MissingFunction(); !missing.empty()) {
      SendMessage(socket, Unanswered("this cuDNN looks for " + missing +
                                     " in the driver, which the phantom's lacks"));
      continue;
    }
    answers.Append(KeyOf(*message), answer);  // if that fails, others ask again
    if (!SendMessage(socket, Answered(answer))) return;
  }
}

}  // namespace

int main(int count, char** arguments) {
  const std::optional<int> socket = SocketFromArguments(count, arguments);
  if (!socket) {
    std::fputs("tidemark-cudnn-oracle is started by the phantom GPU, which asks it about cuDNN.\n", stderr);
    return 2;
  }
  // Whatever the program has open: nobody is to wait for an end of file that this process holds back.
  close_range(static_cast<unsigned>(*socket) + 1, ~0U, 0);
  LeaveParent();
  signal(SIGPIPE, SIG_IGN);
  const std::optional<std::string> message = ReceiveMessage(*socket, -1);
  const std::optional<Opening> opening = message ? DecodeOpening(*message) : std::nullopt;
  if (!opening) return 1;
  Complaints complaints;
  const tidemark::Result<Service> service = Open(*opening);
  if (!service) {
    SendMessage(*socket, Unanswered(service.error().message));
    return 1;
  }
  SendMessage(*socket, Answered(std::to_string(service->cudnn.get_version())));
  AnswerCache answers(opening->cache_file);
  Serve(*socket, *service->planner, complaints, answers);
  _exit(0);  // cuDNN's own destructors have nothing to give back that the end does not
}
