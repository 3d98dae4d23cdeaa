// SPDX-License-Identifier: Apache-2.0
#include "context.hpp"
#include "graph.hpp"
#include "memory.hpp"

namespace simulated_cuda {

CUresult Step::run() const {
  switch (type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return kernel->run();
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return copy.run();
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return fill.empty() ? CUDA_SUCCESS : fill.run();
    case CU_GRAPH_NODE_TYPE_HOST:
      run_on_host([this] { host.fn(host.userData); });
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      Event::record_now(event);
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT: {
      Lock lock(world().mutex);
      event->wait(lock);
      return event->failure();
    }
    case CU_GRAPH_NODE_TYPE_GRAPH:
      for (const StepPtr &each : child) {
        if (const CUresult result = each->run(); result != CUDA_SUCCESS) return result;
      }
      return CUDA_SUCCESS;
    case CU_GRAPH_NODE_TYPE_EMPTY:
      return CUDA_SUCCESS;
  }
  return CUDA_ERROR_UNKNOWN;
}

StepPtr kernel_step(Call &call, const CUDA_KERNEL_NODE_PARAMS *what,
                    const std::vector<CUlaunchAttribute> &attributes) {
  require(what != nullptr && (what->func == nullptr) != (what->kern == nullptr));
  const auto function = function_of(
      call, what->func != nullptr ? what->func : reinterpret_cast<CUfunction>(what->kern));
  CUlaunchConfig config{
      what->gridDimX,  what->gridDimY,       what->gridDimZ, what->blockDimX, what->blockDimY,
      what->blockDimZ, what->sharedMemBytes, nullptr,        nullptr,         0};
  config.attrs = const_cast<CUlaunchAttribute *>(attributes.data());
  config.numAttrs = static_cast<unsigned>(attributes.size());
  auto launch = std::make_shared<Launch>(launch_of(*function, config));
  launch->take_parameters(what->kernelParams, what->extra);
  auto step = std::make_shared<Step>();
  step->type = CU_GRAPH_NODE_TYPE_KERNEL;
  step->kernel = std::move(launch);
  return step;
}

StepPtr as_before(const Step &before, const StepPtr &changed) {
  auto launch = std::make_shared<Launch>(*changed->kernel);
  launch->cluster = before.kernel->cluster;
  launch->cooperative = before.kernel->cooperative;
  launch->programmatic = before.kernel->programmatic;
  auto step = std::make_shared<Step>(*changed);
  step->kernel = std::move(launch);
  return step;
}

StepPtr copy_step(const CUDA_MEMCPY3D *what, CUcontext context) {
  require(what != nullptr);
  (void)context_of(context);
  auto step = std::make_shared<Step>();
  step->type = CU_GRAPH_NODE_TYPE_MEMCPY;
  step->copy = copy_of(*what);
  require(!step->copy.empty());
  step->copy.check();
  return step;
}

StepPtr fill_step(const CUDA_MEMSET_NODE_PARAMS *what, CUcontext context) {
  require(what != nullptr);
  (void)context_of(context);
  const bool known = what->elementSize == 1 || what->elementSize == 2 || what->elementSize == 4;
  require(known && what->width != 0 && what->height != 0);
  auto step = std::make_shared<Step>();
  step->type = CU_GRAPH_NODE_TYPE_MEMSET;
  step->fill = {what->dst, what->value, what->elementSize, what->width, what->height, what->pitch};
  step->fill.check();
  return step;
}

StepPtr host_step(const CUDA_HOST_NODE_PARAMS *what) {
  require(what != nullptr && what->fn != nullptr);
  auto step = std::make_shared<Step>();
  step->type = CU_GRAPH_NODE_TYPE_HOST;
  step->host = *what;
  return step;
}

StepPtr event_step(CUgraphNodeType type, CUevent event) {
  auto step = std::make_shared<Step>();
  step->type = type;
  step->event = world().events.get(event);
  return step;
}

StepPtr child_step(const Graph &child) {
  auto step = std::make_shared<Step>();
  step->type = CU_GRAPH_NODE_TYPE_GRAPH;
  for (const CUgraphNode node : child.in_order()) {
    step->child.push_back(world().nodes.get(node)->step);
  }
  return step;
}

}  // namespace simulated_cuda
