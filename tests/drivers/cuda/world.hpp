// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_CUDA_WORLD_HPP_
#define NEXUS_SIMULATED_CUDA_WORLD_HPP_

#include "allocations.hpp"
#include "faults.hpp"
#include "registry.hpp"
#include "settings.hpp"
#include "types.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace simulated_cuda {

class Context;
class Device;
class Event;
class Function;
class Graph;
class GraphExec;
class GraphNode;
class Kernel;
class Library;
class Module;
class Pool;
class Stream;

using Lock = std::unique_lock<std::mutex>;

// All that the process has of the driver. Made at the first call and never destroyed, as threads
// of streams may outlive main().
struct World {
  World();

  std::mutex mutex;                 // guards all that is below and every object
  std::condition_variable changed;  // work was added or has ended, or something failed

  Settings settings;
  Faults faults;
  bool initialised = false;
  std::vector<std::unique_ptr<Device>> devices;
  Allocations allocations;

  Registry<CUcontext, Context> contexts{0x11};
  Registry<CUstream, Stream> streams{0x12};
  Registry<CUevent, Event> events{0x13};
  Registry<CUmodule, Module> modules{0x14};
  Registry<CUfunction, Function> functions{0x15};
  Registry<CUlibrary, Library> libraries{0x16};
  Registry<CUkernel, Kernel> kernels{0x17};
  Registry<CUgraph, Graph> graphs{0x18};
  Registry<CUgraphNode, GraphNode> nodes{0x19};
  Registry<CUgraphExec, GraphExec> execs{0x1a};
  Registry<CUmemoryPool, Pool> pools{0x1b};

  std::set<std::string> held;  // parts of the names of kernels that never end
};

World &world();

}  // namespace simulated_cuda

#endif  // NEXUS_SIMULATED_CUDA_WORLD_HPP_
