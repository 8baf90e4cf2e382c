extern "C" void TidemarkTestWhileLoading();  // of the test that loads it

namespace {

struct Constructed {
  Constructed() { TidemarkTestWhileLoading(); }
} constructed;

}  // namespace
