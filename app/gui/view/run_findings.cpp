#include "app/gui/view/run_findings.h"

namespace tidemark::gui {
namespace {

constexpr size_t kOwners = 5;

}  // namespace

RunFindings LookForFindings(const timeline::View& view, ByteUnit unit, const CardMemory& card) {
  RunFindings found;
  const std::vector<session::Shortage> shortages = session::ShortagesIn(view);
  found.unit = shortages.empty() ? unit : ByteUnit::kMebibytes;
  found.findings = advice::FindingsIn(view, found.unit, card.usable_bytes());
  const auto most = view.PeakIn(timeline::Series::kReserved, view.first(), view.end());
  found.tells_reserved = ValueOf(most.values, timeline::Series::kReserved) > 0;
  found.shortages = shortages.size();
  if (shortages.empty()) return found;
  const session::Shortage& latest = shortages.back();
  found.shortage = ShortagePage{latest, card.bytes, session::PlaceOf(latest),
                                session::WhyShort(latest, card.usable_bytes()),
                                advice::LargestOwners(view, latest.index, kOwners, latest.device)};
  return found;
}

}  // namespace tidemark::gui
