// Which tensor a block was made for: its type and its sizes, as a kTensorShape. The innermost operator that
// gives such a tensor back tells it, once for a block: what an operator gives back that was there before it
// (a view, a result in place) is none of what the thread has just made.
//
// Of the calling thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tidemark::capture {

// All that its block holds. A library that is compiled elsewhere, for another LibTorch, fills it: only plain
// members.
struct MadeTensor {
  uint64_t address = 0;            // of its block
  std::string_view type;           // as PyTorch calls it: "float16"
  const int64_t* sizes = nullptr;  // in elements, the outermost first
  size_t dimensions = 0;
};

// A block was allocated. Of no interest outside of operators. Cheap; safe under any lock.
void BlockMade(uint64_t address);
// Whether an operator that runs made the block, and nobody has told its tensor so far. Cheap.
bool AwaitsTensor(uint64_t address);
// Its block awaited it. Of a program that has told very many names, no more are.
void TellTensor(const MadeTensor& tensor);
// The outermost operator has ended. What was not told is nobody's result: scratch memory.
void ForgetMadeBlocks();

}  // namespace tidemark::capture
