#include "profiler/timeline/series.h"

namespace tidemark::timeline {

std::string_view NameOf(Series series) {
  switch (series) {
    case Series::kRequested:
      return "requested";
    case Series::kAllocated:
      return "allocated";
    case Series::kReserved:
      return "reserved";
    case Series::kDriver:
      return events::NameOf(events::Level::kDriver);
    case Series::kProcess:
      return events::NameOf(events::Level::kProcess);
    case Series::kCard:
      return events::NameOf(events::Level::kCard);
    default:
      return events::NameOf(static_cast<events::Category>(series));
  }
}

}  // namespace tidemark::timeline
