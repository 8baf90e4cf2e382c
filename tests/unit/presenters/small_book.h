// The textbook's estimate of a network of two layers.
#pragma once

#include "profiler/textbook/textbook.h"

namespace tidemark::presenters {

inline textbook::Estimate SmallBook() {
  textbook::Estimate book;
  book.parameters_bytes = 1000;
  book.activations_bytes = 2000;
  book.total_bytes = 3000;
  book.terms = {{events::Category::kParameter, "", 1000, "", ""},
                {events::Category::kActivation, "", 2000, "", ""}};
  book.layers = {{"conv1", "64×10×10", 250, 1000, 2000, 0, "2,000", ""},
                 {"relu", "64×10×10", 0, 0, 0, 0, "shared", "conv1"}};
  return book;
}

}  // namespace tidemark::presenters
