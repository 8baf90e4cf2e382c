// The ranks of a distributed run, as one of them meets the others: PyTorch's c10d, over Gloo on the CPU and
// over NCCL on GPUs. On a phantom only this rank is there, and NCCL's stand-in answers for the others.
//
// Rank 0 leads: it says what comes next at each step's boundary, so that all take the same steps with the
// same settings, whoever tells rank 0. One thread. What fails, because another rank is gone, for one, is an
// exception of LibTorch.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <exception>
#include <string>
#include <vector>

#include "profiler/base/rank_place.h"

namespace c10d {
class Backend;
class ProcessGroup;
class Store;
}  // namespace c10d

namespace tidemark::training {

class RankGroup {
 public:
  // Waits until all ranks are there, unless they are `pretended`.
  RankGroup(const RankPlace& place, c10::Device device, bool pretended);
  ~RankGroup();
  RankGroup(const RankGroup&) = delete;
  RankGroup& operator=(const RankGroup&) = delete;

  int rank() const { return place_.rank; }
  int world() const { return place_.world; }
  c10d::ProcessGroup& group() const { return *group_; }
  const c10::intrusive_ptr<c10d::ProcessGroup>& shared_group() const { return group_; }

  // Of all ranks, in place of this one's.
  void Sum(at::Tensor& values) const;
  // Gives all ranks rank 0's values.
  void ShareFromRank0(const std::vector<at::Tensor>& tensors) const;

  // What goes to one other rank, or comes from there; its memory has no gaps.
  struct Passing {
    at::Tensor tensor;
    int rank = 0;
    bool comes = false;
  };
  // All of it at once, so that two ranks may each send before they receive. Over NCCL the first thing that
  // ranks do together has to be something that all of them do (torch.distributed.batch_isend_irecv).
  void Pass(const std::vector<Passing>& tensors) const;
  // Of which type what will be passed is; where others are pretended, it is as expected.
  void TellType(int rank, at::ScalarType type) const;
  at::ScalarType AwaitType(int rank, at::ScalarType expected) const;

  // Until what has been sent is forgotten too, of a phantom's group: NCCL's watchdog holds on to it for a
  // tenth of a second, in which a phantom takes a hundred steps and a card none.
  void AwaitQuiet() const;

  // Whether others have to be told what comes next, or tell it.
  bool leads() const { return !pretended_ && place_.rank == 0; }
  bool follows() const { return !pretended_ && place_.rank > 0; }
  void Announce(const std::string& order) const;  // of the leader
  std::string AwaitOrder() const;                 // of a follower
  // After the last order: the leader, in whose process they meet, stays until all have read it.
  void Part() const;

 private:
  RankPlace place_;
  bool pretended_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<c10d::Backend> backend_;
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

// The same memory as a row of values, which it does not own: who sends holds on to its tensors for longer
// than they are to live.
at::Tensor Lent(const at::Tensor& tensor);

// Whether it tells no more than that another rank is gone.
bool TellsOfAnotherRank(const std::exception& exception);

}  // namespace tidemark::training
