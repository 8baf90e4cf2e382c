// What a user's program computes on the phantom from values that are known there: it sent them, or filled
// memory with them. Kernels compute nothing; so the same operator runs on the CPU beside its kernel, on a
// copy of what the device knows (profiler/phantom/device/contents.h), and its result becomes known there.
//
// - Whole numbers and conditions (lengths, masks, indices), since they decide sizes.
// - Numbers with a fraction (a loss scale, an optimizer's step, weights of classes), by operators that are
//   cheap (computed_operators.h). They may differ from a card's in the last digit.
// - What is drawn by chance (card_numbers.h), by the state of the card's generator: the card's own numbers.
// - How many elements of a sparse tensor remain when it is coalesced: its indices are whole numbers.
//
// Each tensor that goes in or comes out has at most kMostNumbers, or kMostIndices of a type that indexes
// (known_memory.h). Of at most kMostNumbers what goes in and is not known is taken as the zeros that it reads
// as, where that costs little (computed_operators.h): what comes of it follows from that, is told as not
// known all the same (device::Certainty::kOfZeros), and is not kept where it is no finite number. Not what a
// CUDA graph is made of. What a kernel writes over with something unknown is known no more, however large;
// what a graph's kernels write to, at each launch. Any thread; costs some tens of nanoseconds an operator,
// and its schema is looked up once a thread.
#pragma once

namespace tidemark::phantom {

// Once a process; on the phantom only.
void ComputeKnownValues();

}  // namespace tidemark::phantom
