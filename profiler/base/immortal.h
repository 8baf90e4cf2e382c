// A global that is there before any constructor runs and is never destroyed: threads of LibTorch outlive
// main. Unlike a function's static it is found without a look at whether it exists.
#pragma once

namespace tidemark {

// Of what can be made at compile time (constinit).
template <typename Object>
union Immortal {
  constexpr Immortal() : object() {}
  ~Immortal() {}
  Immortal(const Immortal&) = delete;
  Immortal& operator=(const Immortal&) = delete;

  Object object;
};

}  // namespace tidemark
