// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_PIPELINE_HPP_
#define NEXUS_SIMULATED_METAL_PIPELINE_HPP_

#include "library.hpp"

#include <vector>

namespace metal {

// A parameter of a kernel.
struct MTLBinding : Object, nexus_metal_binding {
  static const Class &kClass;
  MTLBinding(const nexus_metal_binding &what, Ref<MTLLibrary> of)
      : Object(kClass), nexus_metal_binding(what), library_(std::move(of)) {}

  template <auto member>
  NSUInteger number() {
    return this->*member;
  }
  NSString *text() { return autoreleased(name); }
  bool used() { return true; }

 private:
  const Ref<MTLLibrary> library_;  // whose code has the name
};

struct MTLComputePipelineReflection : Object {
  static const Class &kClass;
  explicit MTLComputePipelineReflection(const MTLFunction &function);

  Ref<NSArray> bindings;
};

struct MTLComputePipelineDescriptor : Object {
  static const Class &kClass;
  MTLComputePipelineDescriptor() : Object(kClass) {}

  Ref<MTLFunction> function;
  Ref<NSString> label;
  bool multiple = false;
  NSUInteger most = 0;
};

struct MTLComputePipelineState : OfDevice {
  static const Class &kClass;
  // most: threads of a threadgroup; 0: as the kernel says.
  MTLComputePipelineState(MTLFunction &of, NSUInteger most);

  NSUInteger maxTotalThreadsPerThreadgroup() { return most_; }
  NSUInteger threadExecutionWidth();
  NSUInteger staticThreadgroupMemoryLength() { return static_memory_; }

  const std::string &kernel() const { return function_->function.name(); }
  const simulator::Function &function() const { return function_->function; }
  const std::vector<nexus_metal_binding> &bindings() const { return bindings_; }

 private:
  const Ref<MTLFunction> function_;
  const std::vector<nexus_metal_binding> bindings_;
  NSUInteger static_memory_, most_;
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_PIPELINE_HPP_
