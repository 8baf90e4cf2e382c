// Speaks as tidemark-cudnn-oracle does, with no cuDNN behind it. The name of the library that it is told to
// load says how it behaves: "answers"; "too-old", which it says at once; "dies", which it does over a tree
// that says so; "dies-at-once". A tree of "N" has N configurations, and one of no number 3; the plan of
// number P takes 1000 · N + P bytes, and is told as "plan P".
#include <unistd.h>

#include <cstdlib>
#include <optional>
#include <string>

#include "profiler/base/digits.h"
#include "profiler/phantom/workspaces/answer_cache.h"
#include "profiler/phantom/workspaces/messages.h"
#include "profiler/phantom/workspaces/question.h"

using namespace tidemark::phantom::workspaces;

namespace {

std::string AnswerTo(const Question& question) {
  const bool is_number = !question.tree.empty() && tidemark::IsDigit(question.tree.front());
  const int number = is_number ? std::atoi(question.tree.c_str()) : 3;
  if (question.plan < Question::kHeuristics) return "plan " + std::to_string(Question::AsJson(question.plan));
  if (question.plan != Question::kHeuristics) return Encode(PlanAnswer{0, 1000 * number + question.plan});
  HeuristicsAnswer answer;
  for (int i = 0; i < number; ++i) answer.configurations.push_back({i, 0, 0, {1, 2}, {}, {{2, 3}}});
  return Encode(answer);
}

}  // namespace

int main(int, char** arguments) {
  const int socket = std::atoi(arguments[2]);
  if (fork() != 0) _exit(0);
  const std::optional<std::string> message = ReceiveMessage(socket, -1);
  const std::optional<Opening> opening = message ? DecodeOpening(*message) : std::nullopt;
  if (!opening || opening->library_file == "dies-at-once") _exit(1);
  if (opening->library_file == "too-old") {
    SendMessage(socket, Unanswered("it is too old"));
    _exit(1);
  }
  SendMessage(socket, Answered("91900"));
  AnswerCache answers(opening->cache_file);
  while (const std::optional<std::string> asked = ReceiveMessage(socket, -1)) {
    const std::optional<Question> question = DecodeQuestion(*asked);
    if (!question || question->tree == "die") _exit(1);
    if (question->tree == "refuse") {
      SendMessage(socket, Unanswered("this one is not answered"));
      continue;
    }
    const std::string answer = AnswerTo(*question);
    answers.Append(KeyOf(*asked), answer);
    SendMessage(socket, Answered(answer));
  }
  _exit(0);
}
