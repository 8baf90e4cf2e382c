#include "profiler/phantom/device/kernel_answers.h"

#include <array>
#include <cstdint>
#include <string>

#include "tests/support/catch.h"

namespace tidemark::phantom::device {
namespace {

// As torch 2.6 to 2.11 name them; what stands between is the name of a file.
const std::string kElementwise = "_ZN2at6native29vectorized_elementwise_kernelILi4E";

std::string ComparedInOrder(const std::string& type) {
  return kElementwise + "ZNS0_21compare_scalar_kernelI" + type + "EEvRNS_18TensorIteratorBaseE";
}
std::string ComparedForEquality(const std::string& types) {
  return kElementwise + "NS0_13AUnaryFunctorI" + types + "bNS0_16CompareEqFunctorI";
}

// How it is compared, and with what, as a kernel gets it.
template <typename Number>
bool HoldsWith(const std::string& kernel, int comparison, Number number) {
  struct Functor {
    int comparison;
    Number number;
  } functor = {comparison, number};
  int elements = 1;
  std::array<void*, 2> arguments = {&elements, &functor};
  return Holds(QuestionOf(kernel), arguments.data());
}

enum Order { kGreaterOrEqual, kGreater, kLessOrEqual, kLess };
enum Equality { kEqualTo, kNotEqualTo };

TEST_CASE("What is compared in order is zero") {
  const std::string f = ComparedInOrder("f");
  CHECK(HoldsWith(f, kGreaterOrEqual, 0.0F));
  CHECK_FALSE(HoldsWith(f, kGreater, 0.0F));
  CHECK(HoldsWith(f, kGreater, -0.5F));
  CHECK(HoldsWith(f, kLess, 1e-6F));
  CHECK(HoldsWith(f, kLessOrEqual, 0.0F));
  CHECK_FALSE(HoldsWith(f, kLessOrEqual, -1.0F));
  CHECK(HoldsWith(ComparedInOrder("d"), kLess, 0.25));
  CHECK_FALSE(HoldsWith(ComparedInOrder("l"), kGreaterOrEqual, int64_t{7}));
  CHECK(HoldsWith(ComparedInOrder("a"), kGreater, int8_t{-3}));
  CHECK(HoldsWith(ComparedInOrder("N3c104HalfE"), kGreater, uint16_t{0xbc00}));  // -1
  CHECK(HoldsWith(ComparedInOrder("N3c108BFloat16E"), kGreaterOrEqual, uint16_t{0x8000}));
}

TEST_CASE("What is compared for equality is zero") {
  CHECK(HoldsWith(ComparedForEquality("ii"), kEqualTo, 0));
  CHECK_FALSE(HoldsWith(ComparedForEquality("ii"), kNotEqualTo, 0));
  CHECK(HoldsWith(ComparedForEquality("N3c104HalfES4_"), kNotEqualTo, 2.0F));
  const std::string tensors = kElementwise + "NS0_13BinaryFunctorIffbNS0_16CompareEqFunctorIfE";
  CHECK(HoldsWith(tensors, kEqualTo, 5.0F));  // not a number to compare with: past the functor's end
  CHECK_FALSE(HoldsWith(tensors, kNotEqualTo, 5.0F));
}

TEST_CASE("Conditions that are joined hold, a fill is what it is, all else answers no") {
  CHECK(Holds(QuestionOf("_ZZN2at6native15and_kernel_cuda"), nullptr));
  CHECK(Holds(QuestionOf(kElementwise + "NS0_13BinaryFunctorIbbbNS0_17BitwiseAndFunctorIbEE"), nullptr));
  CHECK(HoldsWith(kElementwise + "NS0_11FillFunctorIbEE", 1, 0));
  CHECK_FALSE(HoldsWith(kElementwise + "NS0_11FillFunctorIbEE", 0, 0));
  CHECK(QuestionOf(kElementwise + "NS0_15CUDAFunctor_addIfEE").kind == KernelQuestion::Kind::kNone);
  CHECK(QuestionOf(ComparedInOrder("N3c107complexIfEE")).kind == KernelQuestion::Kind::kNone);
  CHECK_FALSE(Holds({}, nullptr));
  CHECK_FALSE(Holds(QuestionOf(ComparedInOrder("f")), nullptr));
}

TEST_CASE(
    "What PyTorch wants to be true is, but for torch.istft, which asks whether its windows leave gaps") {
  const auto answer = [](int comparison, float threshold) {
    struct {
      int comparison;
      float number;
    } order = {comparison, threshold};
    int equality = kEqualTo;
    bool filled = true;
    std::array<const void*, 3> tensors = {};
    std::array<void*, 3> asked = {nullptr, &order, tensors.data()};
    std::array<void*, 3> fill = {nullptr, &filled, tensors.data()};
    std::array<void*, 3> same = {nullptr, &equality, tensors.data()};
    Answers answers;
    answers.Take(QuestionOf(ComparedInOrder("f")), asked.data());
    answers.Take(QuestionOf(kElementwise + "NS0_11FillFunctorIbEE"), fill.data());
    answers.Take(QuestionOf(kElementwise + "NS0_13BinaryFunctorIbbbNS0_16CompareEqFunctorIbE"), same.data());
    return answers.last().holds;
  };
  CHECK(answer(kGreater, 0.0F));
  CHECK(answer(kLess, 1e-6F));
  CHECK(answer(kLessOrEqual, 1e-11F));
  CHECK_FALSE(answer(kLess, 1e-11F));
}

// Kernels that write where a test says, in the device's memory.
class Launches {
 public:
  Answers answers;

  void Compare(int order, const char* to) { Launch(QuestionOf(ComparedInOrder("f")), order, to); }
  void Add(const char* to) { Launch(QuestionOf(kElementwise + "NS0_15CUDAFunctor_addIfEE"), kGreater, to); }
  void All() { answers.Take(QuestionOf("_ZZN2at6native15and_kernel_cuda"), nullptr); }
  bool Holds(const char* at) const { return answers.At(at).holds; }

 private:
  void Launch(const KernelQuestion& question, int order, const char* to) {
    struct {
      int comparison;
      float number = 1;
    } functor = {order};
    const char* tensors[] = {to, nullptr};
    void* arguments[] = {nullptr, &functor, tensors};
    answers.Take(question, arguments);
  }
};

TEST_CASE("An answer belongs to what it was written to, in whatever order it is read") {
  const std::array<char, 4096> memory{};
  const char* const flag = memory.data();
  const char* const other = flag + 512;
  Launches launches;
  launches.Compare(kGreater, flag);
  launches.Compare(kLess, other);
  CHECK_FALSE(launches.Holds(flag));
  CHECK(launches.Holds(other));
  CHECK_FALSE(launches.Holds(other + 512));  // nobody wrote there
  launches.Add(other);
  CHECK_FALSE(launches.Holds(other));
  const auto tells = [](const char* name) {
    return QuestionOf(std::string("_ZN2at6native") + name).is_elementwise;
  };
  CHECK((tells("29vectorized_elementwise_kernelILi4E") && tells("27unrolled_elementwise_kernelI")));
  CHECK_FALSE(tells("35_unfold_backward_elementwise_kernelILi"));  // it has no third argument
  launches.Compare(kLess, flag);
  launches.answers.Copy(other, flag);
  CHECK(launches.Holds(other));
  launches.answers.BlockBegins(flag, 1024);
  CHECK_FALSE(launches.Holds(other));
}

TEST_CASE("A reduction writes to the block that was made for it; where none was, the last kernel answers") {
  const std::array<char, 4096> memory{};
  Launches launches;
  launches.All();
  CHECK(launches.Holds(memory.data() + 512));
  launches.answers.BlockBegins(memory.data(), 512);
  launches.All();
  launches.Add(memory.data() + 1024);
  CHECK(launches.Holds(memory.data()));
  CHECK_FALSE(launches.Holds(memory.data() + 512));
}

TEST_CASE("A search of Thrust's is known by what it reduces with, and is no condition") {
  const KernelQuestion question = QuestionOf(
      "_ZN3cub18DeviceReduceKernelINS_6detailEN6thrust8cuda_cub9__find_if7functorINS3_5tupleIblEEEE");
  CHECK(question.kind == KernelQuestion::Kind::kFind);
  CHECK_FALSE(Holds(question, nullptr));
  const std::string moves =
      "_ZN6thrust8cuda_cub14__parallel_for16ParallelForAgentINS0_10for_each_fINS_7pointerI";
  CHECK(QuestionOf(moves + "N4cuda3std3__45tupleIJblEEE").kind == KernelQuestion::Kind::kFind);
  CHECK(QuestionOf(moves + "f").kind == KernelQuestion::Kind::kNone);
  const std::string of_2_7 =
      "_ZN3cub6detail8for_each13static_kernelINS2_12policy_hub_t12policy_350_tElN6thrust8cuda_cub20__"
      "uninitialized_copy7functorI";
  CHECK(QuestionOf(of_2_7 + "PNS7_5tupleIJblEEE").kind == KernelQuestion::Kind::kFind);
  CHECK(QuestionOf(of_2_7 + "PNS7_5tupleIJllEEE").kind == KernelQuestion::Kind::kNone);
}

TEST_CASE("Different values are counted by the kernels that compare neighbours, not by those that select") {
  const std::string select = "_ZN14at_cuda_detail3cub6detail6select23DeviceSelectSweepKernelINS2_";
  const auto counts = [](const std::string& kernel) {
    return QuestionOf(kernel).kind == KernelQuestion::Kind::kDistinct;
  };
  CHECK(counts(select + "N4cuda3std3__48equal_to"));
  CHECK(counts("_ZN14at_cuda_detail3cub23DeviceSelectSweepKernelINS0_8EqualityE"));
  CHECK(counts(select + "10policy_hubIlNS0_8NullTypeEiLb0ELNS0_10SelectImplE1EE10Policy1000EPlPS5_S9_S9_NS0_"
                        "13ScanTileStateIiLb1EEES5_ZN39_INTERNAL_ad704282_9_Unique_cu_285fecc22at6native41_"
                        "GLOBAL__N__ad704282_9_Unique_cu_285fecc224unique_dim_cuda_templateImEE"));
  CHECK(counts("_ZN6thrust8cuda_cub8__unique11UniqueAgentIPlS3_"));
  CHECK(counts("_ZN6thrust8cuda_cub15__reduce_by_key16ReduceByKeyAgentIPlNS0_17constant_iteratorIi"));
  CHECK(counts("_ZN3cub6detail6reduceL23DeviceReduceByKeyKernelINS1_3rle6encode10policy_hubIll"));
  CHECK(counts("_ZN3cub6detail13unique_by_keyL28DeviceUniqueByKeySweepKernelINS2_10policy_hubIll"));
  CHECK_FALSE(counts("_ZN6thrust8cuda_cub8__unique9InitAgentI"));
  CHECK_FALSE(counts("_ZN6thrust8cuda_cub15__reduce_by_key9InitAgentIN14at_cuda_detail3cub"));
  CHECK_FALSE(counts(select + "8NullTypeEiLb0E"));
  CHECK_FALSE(Holds(QuestionOf(select + "N4cuda3std3__48equal_to"), nullptr));
}

}  // namespace
}  // namespace tidemark::phantom::device
