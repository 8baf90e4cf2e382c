#include "app/cli/run_picture.h"

#include "app/cli/run_bridge.h"
#include "app/presenters/picture.h"

namespace tidemark::cli {

Result<std::string> PictureOf(const session::Run& run, const presenters::PictureView& view,
                              const std::string& title) {
  if (view.key == "breakdown") return presenters::BreakdownPicture(*run.view(), title);
  if (view.key == "map") return presenters::MapPicture(*run.view(), title);
  if (view.key == "bridge") {
    const Result<presenters::Bridge> bridge = BridgeOf(run);
    if (!bridge) return bridge.error();
    return presenters::BridgePicture(*bridge, title);
  }
  return presenters::TimelinePicture(*run.view(), title);
}

}  // namespace tidemark::cli
