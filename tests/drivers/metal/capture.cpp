// SPDX-License-Identifier: Apache-2.0
#include "capture.hpp"

#include "../kernels/folder.hpp"

#include <cstdlib>
#include <filesystem>

using simulator::Lock;
using simulator::world;

namespace metal {
namespace {

// MTLCaptureDestination and MTLCaptureError.
constexpr NSInteger kDocument = 2;
constexpr int kNotSupported = 1, kAlreadyCapturing = 2, kInvalidDescriptor = 3;

[[noreturn]] void refuse(int code, const std::string &text) {
  throw Failed{code, text, "MTLCaptureError"};
}

uint64_t commits() {
  const Lock lock(world().mutex);
  return world().log.calls("commit");
}

}  // namespace

const Class &MTLCaptureDescriptor::kClass =
    *new Class("MTLCaptureDescriptor", nullptr,
               {get<&MTLCaptureDescriptor::object>("captureObject"),
                set<&MTLCaptureDescriptor::object>("setCaptureObject:"),
                get<&MTLCaptureDescriptor::to>("destination"),
                set<&MTLCaptureDescriptor::to>("setDestination:"),
                get<&MTLCaptureDescriptor::url>("outputURL"),
                set<&MTLCaptureDescriptor::url>("setOutputURL:")},
               {alloc<MTLCaptureDescriptor>(), new_object<MTLCaptureDescriptor>()});

const Class &MTLCaptureManager::kClass =
    *new Class("MTLCaptureManager", nullptr,
               {method<&MTLCaptureManager::supports>("supportsDestination:"),
                getter<&MTLCaptureManager::isCapturing>("isCapturing"),
                method<&MTLCaptureManager::start>("startCaptureWithDescriptor:error:"),
                method<&MTLCaptureManager::stop>("stopCapture")},
               {method<&MTLCaptureManager::shared>("sharedCaptureManager")});

MTLCaptureManager *MTLCaptureManager::shared() {
  static auto *const only = new MTLCaptureManager;
  return only;
}

bool MTLCaptureManager::supports(NSInteger destination) {
  const char *enabled = std::getenv("METAL_CAPTURE_ENABLED");
  return destination == kDocument && enabled != nullptr && std::string(enabled) == "1";
}

bool MTLCaptureManager::isCapturing() {
  const Lock lock(world().mutex);
  return bool{current_};
}

bool MTLCaptureManager::start(MTLCaptureDescriptor *descriptor, NSError **) {
  if (isCapturing()) refuse(kAlreadyCapturing, "Already capturing");
  if (!descriptor->object || descriptor->to != kDocument || !descriptor->url ||
      std::filesystem::exists(descriptor->url->path)) {
    refuse(kInvalidDescriptor,
           "an object, a document as the destination and a new file are needed");
  }
  if (!supports(descriptor->to)) {
    refuse(kNotSupported, "Capture is not supported: METAL_CAPTURE_ENABLED is not 1");
  }
  committed_ = commits();
  const Lock lock(world().mutex);
  current_ = Ref<MTLCaptureDescriptor>(descriptor);
  return true;
}

void MTLCaptureManager::stop() {
  Ref<MTLCaptureDescriptor> done;
  {
    const Lock lock(world().mutex);
    done = std::move(current_);
  }
  if (!done) return note_misuse("stopCapture without a capture");
  const std::string text = std::to_string(commits() - committed_) + " command buffers\n";
  simulated_kernels::write_file(std::filesystem::path(done->url->path) / "committed", text);
}

}  // namespace metal
