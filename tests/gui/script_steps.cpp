// A TorchScript file as a network: opened, and given another sample.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "tests/gui/steps.h"

namespace tidemark::gui {

namespace fs = std::filesystem;

namespace {

// torch.jit.script of a module with blocks = ModuleList([Linear(4, 2)]), gzip, base64.
constexpr const char* kScriptedLinear =
    "H4sIAAAAAAACA7VWW28bRRT2LXWyaUMoaaCCh1EQaA3u2q5tHFskAlRVoG3dtARhKapG6/XYu2Qy692dbZNKSO0DKEg8gEA8FpB4"
    "4PITqrgS7zzwG/pS8QOQeKjEmV2v1h6S9CJh62h2Z+b7Zs75zpnZDT2bW0rFv2F7+Q8ErbB5MGr7vNQzuFEq/9QMRu+/+9XB23t3"
    "Ru+8dO+g9cvD0etf/Doq/vX3+oV7/6xvTBF9mb6an4V29j9ElcVv5g9+P/toNA1ov/bGwc/pVErYqUmANtymtzMmxtzxTAtjpU24"
    "4qYKdz5VO4Kde4bNbDZw0/udZXjHto/7AaW4a5jbNw2vhy3H2XYz7c4JGO1Sx9z23WzCp4Wtxpi24/QCSnzNdBgHTuIpl8OeS7AV"
    "xc2JFa30vgVMsMdU2Z05joQCgeEpl6LGPRHuV+zgJrEHFnfzZgTBAbepr2CPdAOb9jAnzHc8fOO84s6qaicPCB9mGgPizkUQ5SJ1"
    "DP5h1Km4ijXTycIscxi48/osv+qe1FOqntFzXNVzeprvm6ZDKTG57TBfueL1iEd6F2wTfDpVuMavuQudnIiMbfjucxYsas1ZSuhi"
    "xV205vUMUD4fUgIh0FkR6nQUi6DrvgC2BHZGm5b06+8+eWUdeIQtx5KaTo+UkrgN90xq+D4CUdUo2oWWghDGQ8Mzdggnno8xWkNb"
    "18PebtDvT3XF6qMW6joOFZMO1R/GrwxFBAy6JSYKbJQLMPIkuaBN5AJCPdJHfccT9Ko/SQB+FGEcod0W2gylLKBz6+PHVjgyXnYN"
    "+Vr0GPbiMvQMCDc499Sov4hWyiuFcNQjPPAYUnG5oMXr7hZRQZmO+N3Pd388A9EWVjk84qWwLTFWGrtYSlyMxUhc/b81aTuMbO4N"
    "SUhkMOaA/yJNMd4C368D42NLTBuXWCQKxpQwjFWf0P5TCxtKZTPemox5RYrxm+dKi99DfIVpTxrj8VbjAEdbPj64K9FBsQJZIEoT"
    "2iPCHc1Dcb6JxIb5k+/PJogTcNwnBgSBCLaLtqgdiI5Q5TyM2+zI4ZpcIo9TY0rKqIBsNgz4kUU0dhqKCKi16C2qLuH7uFs8T0oZ"
    "LRutpYb8xTFRMcTJ5bRTmvtYHI3CTidSM58bjPvRxVSQDr0/7w4+ykAr7GSMuQGCQVpXJf7P1h6cFVeCsIV4bnePE0cc0tTmnJJp"
    "xIuPNr9VoRX2cozQwnvVJ55tUPtWWEDY7lXqzbfqq7XVRqParFfrzUqz2SjXqtXmaq3WqNUb8Fopl1cbG3o6s5Q9+hMg/t0WN8Lk"
    "B4EMlK/8BPjB9AeADJSv/gR4S/4QkKHyFZNAL2eOunBkDvnQTDjuZ5/hCJXp5fMioX915mlPD5lbTtCEeyF/WLrKeDlZE/x7+enU"
    "lZFy6iZIlpcTWcbKSZxgf8gfm9Ib+oxYL6XA/zfYc1qkWupf2JCftsIKAAA=";

}  // namespace

void TrainsScript(ImGuiTestContext* context) {
  const networks::TrainingSettings before = application().settings();
  const fs::path file = Artefacts() / "list.pt";
  const std::string unpack =
      std::string("echo ") + kScriptedLinear + " | base64 -d | gunzip > '" + file.string() + "'";
  IM_CHECK_EQ(std::system(unpack.c_str()), 0);
  // It is looked into beside the window: what is asked for meanwhile is what is wanted.
  application().TakeDropped({file}, false);
  application().Push(ActionId::kNewRun);
  IM_CHECK(WaitUntil(context, [] { return Run().live && !application().waiting(); }));
  IM_CHECK(application().settings() == before);
  application().TakeDropped({file}, false);
  IM_CHECK(WaitUntil(context, [&] { return application().settings().network == file.string(); }));
  IM_CHECK(WaitForSteps(context, 1));
  const auto layer = [](const std::string& gives) {
    const auto& rows = *application().frame()->layers.rows;
    return rows.size() == 1 && rows.front().name == "blocks.0" && rows.front().output == gives;
  };
  IM_CHECK(WaitUntil(context, [&] { return layer("64×2"); }));
  Picture(context, "torchscript");
  const auto type_sample = [&](const char* text) {
    context->SetRef(context->WindowInfo("//###run_controls/controls").ID);
    context->ItemInput("##Sample");
    context->KeyCharsReplaceEnter(text);
  };
  type_sample("3x4");
  IM_CHECK(WaitUntil(context, [&] { return application().settings().network == file.string() + "@3x4"; }));
  IM_CHECK(WaitUntil(context, [&] { return layer("64×3×2"); }));
  type_sample("four");
  IM_CHECK(WaitUntil(context, [] {
    const auto& lines = *application().frame()->run_log.lines;
    return !lines.empty() && lines.back().text.find("The shape of one sample is") != std::string::npos;
  }));
  context->SetRef(ImGuiTestRef());
  application().Push(ChangeSettings{before});
  IM_CHECK(WaitUntil(context, [&before] { return application().settings() == before; }));
  IM_CHECK(WaitForSteps(context, 2));
}

}  // namespace tidemark::gui
