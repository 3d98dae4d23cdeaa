// SPDX-License-Identifier: Apache-2.0
#include "execution/condition.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>

namespace nexus_cuda NXS_HIDDEN {

namespace {

// The kernel, as PTX that every driver with conditions compiles. It finds the index of the body
// that runs next: for a switch the integer, else 0 if the integer is not 0, and 1 if it is. Then it
// sets the condition of that body to 1 and the others to 0. A loop counts its turns, and reads
// `stop`, which is in host memory and slow, at most every 65536 ns. The other loads come first, so
// that they are under way together.
constexpr const char *kKernel = R"(.version 6.0
.target sm_50
.address_size 64
.extern .func cudaGraphSetConditional(.param .b64 condition, .param .b32 number);
.visible .entry nexus_condition(
  .param .u64 value, .param .u64 turns, .param .u64 stop, .param .u64 max_count,
  .param .u32 mode, .param .u32 first, .param .u32 count, .param .align 8 .b8 conditions[64])
{
  .reg .pred %yes, %next;
  .reg .b32 %number, %mode, %body, %first, %count, %i, %set, %stop;
  .reg .b64 %at, %turns, %turn, %most, %now, %before, %since, %list, %condition;
  .param .b64 to;
  .param .b32 is;

  ld.param.u32 %mode, [mode];
  ld.param.u64 %turns, [turns];
  mov.u64 %turn, 0;
  mov.u64 %before, 0;
  setp.eq.u32 %next, %mode, 3;
  @%next ld.global.u64 %turn, [%turns];
  @%next ld.global.u64 %before, [%turns+8];
  ld.param.u64 %at, [value];
  ld.volatile.global.u32 %number, [%at];
  mov.u32 %body, %number;
  setp.eq.u32 %yes, %mode, 0;
  @%yes bra SET;
  setp.eq.u32 %yes, %number, 0;
  selp.u32 %body, 1, 0, %yes;
  setp.eq.u32 %yes, %mode, 1;
  @%yes bra SET;

  @%next add.u64 %turn, %turn, 1;
  st.global.u64 [%turns], %turn;
  ld.param.u64 %most, [max_count];
  setp.ge.u64 %yes, %turn, %most;
  @%yes mov.u32 %body, 1;
  mov.u64 %now, %globaltimer;
  sub.u64 %since, %now, %before;
  setp.lt.u64 %yes, %since, 65536;
  @%yes bra SET;
  st.global.u64 [%turns+8], %now;
  ld.param.u64 %at, [stop];
  ld.volatile.global.u32 %stop, [%at];
  setp.ne.u32 %yes, %stop, 0;
  @%yes mov.u32 %body, 1;

SET:
  ld.param.u32 %first, [first];
  sub.u32 %body, %body, %first;
  ld.param.u32 %count, [count];
  mov.u32 %i, 0;
  mov.b64 %list, conditions;
NEXT:
  setp.ge.u32 %yes, %i, %count;
  @%yes bra DONE;
  ld.param.u64 %condition, [%list];
  setp.eq.u32 %yes, %i, %body;
  selp.u32 %set, 1, 0, %yes;
  st.param.b64 [to], %condition;
  st.param.b32 [is], %set;
  call.uni cudaGraphSetConditional, (to, is);
  add.u64 %list, %list, 8;
  add.u32 %i, %i, 1;
  bra NEXT;
DONE:
  ret;
}
)";

// Returns the kernel, which each device loads once and keeps. Throws the driver's error.
CUfunction kernel_of(Device &device) {
  static std::mutex mutex;
  static auto *const kernels = new std::map<const Device *, CUfunction>;
  const std::lock_guard lock(mutex);
  CUfunction &made = (*kernels)[&device];
  if (made != nullptr) return made;
  constexpr const char *kLoading = "loading the kernel that decides in graphs";
  CUlibrary library = nullptr;
  CUkernel kernel = nullptr;
  CUfunction function = nullptr;
  char said[1024] = "";
  device.check(Gpu::load(&library, kKernel, said), join(kLoading, " (", said, ")"));
  device.check(cu.LibraryGetKernel(&kernel, library, "nexus_condition"), kLoading);
  device.check(cu.KernelGetFunction(&function, kernel), kLoading);
  return made = function;
}

}  // namespace

ConditionCall::ConditionCall(Device &device, nxs_command_type type, CUdeviceptr value,
                             uint32_t first,
                             const std::vector<CUgraphConditionalHandle> &conditions,
                             uint64_t max_count, CUdeviceptr turns)
    : kernel_(kernel_of(device)) {
  parameters_.value = value;
  parameters_.turns = turns;
  parameters_.max_count = max_count;
  parameters_.mode = type == NXS_CommandType_Switch ? kSwitch
                     : type == NXS_CommandType_If   ? kIf
                                                    : kLoop;
  parameters_.first = first;
  parameters_.count = static_cast<uint32_t>(conditions.size());
  std::copy(conditions.begin(), conditions.end(), parameters_.conditions.begin());
}

ConditionCall ConditionCall::next_turn() const noexcept {
  ConditionCall made = *this;
  made.parameters_.mode = kNextTurn;
  return made;
}

// Calls use(const CUDA_KERNEL_NODE_PARAMS *). The driver copies the parameters.
template <class Use>
CUresult ConditionCall::with_node(Use &&use) const noexcept {
  Parameters copy = parameters_;  // the driver takes no const pointers
  void *parameters[] = {&copy.value, &copy.turns, &copy.stop,  &copy.max_count,
                        &copy.mode,  &copy.first, &copy.count, &copy.conditions};
  CUDA_KERNEL_NODE_PARAMS node{};
  node.func = kernel_;
  node.gridDimX = node.gridDimY = node.gridDimZ = 1;
  node.blockDimX = node.blockDimY = node.blockDimZ = 1;
  node.kernelParams = parameters;
  return use(&node);
}

CUresult ConditionCall::add(CUgraphNode *out, CUgraph graph,
                            Gpu::NativeNodes after) const noexcept {
  return with_node([&](const CUDA_KERNEL_NODE_PARAMS *node) {
    return cu.GraphAddKernelNode(out, graph, after.data(), after.size(), node);
  });
}

CUresult ConditionCall::change(CUgraphExec executable, CUgraphNode node) const noexcept {
  return with_node([&](const CUDA_KERNEL_NODE_PARAMS *parameters) {
    return cu.GraphExecKernelNodeSetParams(executable, node, parameters);
  });
}

CUresult Gpu::make_condition(CUgraphConditionalHandle *out, CUgraph graph,
                             Device &device) noexcept {
  return cu.GraphConditionalHandleCreate(out, graph, device.context(), 0, 0);
}

CUresult Gpu::add(CUgraphNode *out, CUgraph *out_body, CUgraph graph, NativeNodes after,
                  CUgraphConditionalHandle condition, bool loops, Device &device) noexcept {
  CUgraphNodeParams node{};
  node.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  node.conditional = {condition, loops ? CU_GRAPH_COND_TYPE_WHILE : CU_GRAPH_COND_TYPE_IF, 1,
                      nullptr, device.context()};
  const CUresult result = cu.GraphAddNode(out, graph, after.data(), nullptr, after.size(), &node);
  if (result == CUDA_SUCCESS) *out_body = node.conditional.phGraph_out[0];
  return result;
}

CUresult Gpu::add(CUgraphNode *out, CUgraph graph, NativeNodes after,
                  const nexus_cuda::ConditionCall &call) noexcept {
  return call.add(out, graph, after);
}

CUresult Gpu::change(CUgraphExec executable, CUgraphNode node,
                     const nexus_cuda::ConditionCall &call) noexcept {
  return call.change(executable, node);
}

}  // namespace nexus_cuda
