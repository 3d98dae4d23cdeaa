// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATOR_WORLD_HPP_
#define NEXUS_SIMULATOR_WORLD_HPP_

#include "call_log.hpp"
#include "memory.hpp"
#include "registry.hpp"
#include "settings.hpp"

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace simulator {

class Context;
class Device;
class Event;
class Function;
class Graph;
struct GraphCondition;
class GraphExec;
struct GraphNode;
struct Kernel;
class Library;
class Module;
class Pool;
class Stream;

using Lock = std::unique_lock<std::mutex>;

// The driver's state in this process. Made at the first call and never destroyed, since threads of
// streams may outlive main().
struct World {
  World();

  // Makes the devices that the environment selects.
  void start();

  std::mutex mutex;                 // guards all that is below and every object
  std::condition_variable changed;  // work was added or has ended, or something failed

  Settings settings;
  CallLog log;
  bool initialised = false;
  std::vector<std::unique_ptr<Device>> devices;
  Allocations allocations;

  Registry<Context> contexts{0x11};
  Registry<Stream> streams{0x12};
  Registry<Event> events{0x13};
  Registry<Module> modules{0x14};
  Registry<Function> functions{0x15};
  Registry<Library> libraries{0x16};
  Registry<Kernel> kernels{0x17};
  Registry<Graph> graphs{0x18};
  Registry<GraphNode> nodes{0x19};
  Registry<GraphExec> execs{0x1a};
  Registry<Pool> pools{0x1b};
  Registry<GraphCondition> conditions{0x1c};

  std::set<std::string> held;  // parts of the names of kernels that never end

  // The driver's own kinds of objects, and how many there are.
  std::map<std::string, std::function<int64_t()>> more_kinds;
};

World &world();

}  // namespace simulator

#endif  // NEXUS_SIMULATOR_WORLD_HPP_
