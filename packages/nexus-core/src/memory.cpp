// SPDX-License-Identifier: Apache-2.0
#include "memory.hpp"

#include <algorithm>

#include "log.hpp"
#include "native.hpp"
#include "stream.hpp"

namespace nexus::core {

Memory::Memory(Device &device, uint64_t size, nxs_buffer_settings settings, void *host_data,
               HostStorage host)
    : device_(device), size_(size), host_(host) {
  device.plugin().call(
      &nxs_functions::CreateBuffer,
      [&] {
        return "make a buffer of " + std::to_string(size) + " bytes on the device '" +
               device.selector() + "'";
      },
      device.id(), size, settings, host_data, &id_);
}

Memory::~Memory() {
  std::vector<Use> running;
  const Plugin &plugin = device_.plugin();
  if (plugin.generation == processGeneration()) {
    if (host_.release != nullptr) {
      uses_.collectRunning(running);
      for (const Attached &attached : attached_) {
        attached.runs->collectRunning(running, attached.since);
      }
    }
    if (mapped_ != nullptr) unmap();
    releaseNative(plugin, &nxs_functions::ReleaseBuffer, id_, "buffer");
  }
  if (host_.release != nullptr) {
    whenDone(std::move(running), [host = host_] { host.release(host.context); });
  }
}

void Memory::attach(Uses &runs) {
  const Lock lock(mutex_);
  for (Attached &attached : attached_) {
    if (attached.runs.get() == &runs) {
      ++attached.count;
      return;
    }
  }
  attached_.push_back({Ref(runs), 1, runs.count()});
}

void Memory::detach(Uses &runs) {
  std::vector<Use> running;
  {
    const Lock lock(mutex_);
    const auto found =
        std::find_if(attached_.begin(), attached_.end(),
                     [&](const Attached &attached) { return attached.runs.get() == &runs; });
    if (found == attached_.end() || --found->count != 0) {
      return;
    }
    runs.collectRunning(running, found->since);
    attached_.erase(found);
  }
  // The runs until now still use it.
  for (const Use &use : running) {
    uses_.note(*use.queue, use.position);
  }
}

std::vector<Use> Memory::pending() {
  std::vector<Use> uses;
  uses_.collect(uses);
  const Lock lock(mutex_);
  for (const Attached &attached : attached_) {
    attached.runs->collect(uses, attached.since);
  }
  return uses;
}

void *Memory::map() {
  const Plugin &plugin = device_.plugin();
  if (!plugin.has(NXS_Capability_HostVisibleMemory)) {
    throw Failure(NXS_NotSupported, "The memory of the device '" + device_.selector() +
                                        "' is not visible to the host; copy the buffer to host "
                                        "memory instead (nexus_buffer_copy_to_host, or copy() "
                                        "and numpy() in Python).");
  }
  Queue &queue = device_.defaultStream().queue();
  void *address = nullptr;
  Use mapping;
  {
    const Lock lock(mutex_);
    if (mapped_ == nullptr) {
      const nxs_buffer_range range{sizeof(range), id_, 0, size_};
      const Position position = submitTo(queue, [&](Queue &into) {
        nxs_ticket ticket = 0;
        plugin.call(&nxs_functions::MapBuffer, "map a buffer", into.id(), &range,
                    NXS_MapAccess_Read | NXS_MapAccess_Write, &mapped_, &ticket);
        return ticket;
      });
      mapping_ = {Ref(queue), position};
    }
    address = mapped_;
    mapping = mapping_;
  }
  try {
    mapping.queue->wait(mapping.position, UINT64_MAX);
  } catch (const Failure &) {
    forgetFailedMapping(mapping);
    throw;
  }
  return address;
}

// The stream failed before the mapping was done, so nobody has its address: the next call maps
// anew, in the stream that followed. The plug-in's side of it ends with the buffer.
void Memory::forgetFailedMapping(const Use &mapping) {
  if (mapping.queue->state(mapping.position) != NXS_CompletionState_Failed) {
    return;  // interrupted: it goes on
  }
  const Lock lock(mutex_);
  if (mapping_.queue == mapping.queue && mapping_.position == mapping.position) {
    mapped_ = nullptr;
    mapping_ = {};
  }
}

void Memory::unmap() noexcept {
  try {
    // Not in the stream that mapped it, which may have failed since.
    Queue &queue = device_.defaultStream().queue();
    nxs_ticket ticket = 0;
    device_.plugin().call(&nxs_functions::UnmapBuffer, "end the mapping of a buffer", queue.id(),
                          id_, mapped_, &ticket);
    queue.submitted(ticket);
  } catch (const std::exception &failure) {
    logLine(NXS_LogLevel_Warning, device_.plugin().name, failure.what());
  }
}

}  // namespace nexus::core
