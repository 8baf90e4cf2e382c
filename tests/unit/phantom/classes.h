// What generate_stand_ins.py made of LibTorch's imports, functions.txt and the hand-written sources: every
// function of the stand-ins, and its class.
#pragma once

#include <string>
#include <vector>

namespace tidemark::phantom {

struct StandInFunction {
  std::string soname;
  std::string name;
  std::string kind;  // "modelled", "computes", "sets", "unsupported" or "refuses"
};

const std::vector<StandInFunction>& StandInFunctions();

// The stand-in of that soname; null if it cannot be loaded.
void* LoadStandIn(const std::string& soname);

// The address of a function in the stand-in of any library; null if there is none of that name.
void* AddressOf(const std::string& name);

}  // namespace tidemark::phantom
