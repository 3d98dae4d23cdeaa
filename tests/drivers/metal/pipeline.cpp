// SPDX-License-Identifier: Apache-2.0
#include "pipeline.hpp"

namespace metal {
namespace {

std::vector<Ref<Object>> bindings_of(const MTLFunction &function) {
  std::vector<Ref<Object>> made;
  for (const nexus_metal_binding &each : function.bindings()) {
    auto binding = make<MTLBinding>(each, function.library);
    made.push_back(Ref<Object>::adopt(binding.leak()));
  }
  return made;
}

}  // namespace

const Class &MTLBinding::kClass = *new Class(
    "MTLBinding", nullptr,
    {getter<&MTLBinding::text>("name"),
     getter<&MTLBinding::number<&nexus_metal_binding::type>>("type"),
     getter<&MTLBinding::number<&nexus_metal_binding::access>>("access"),
     getter<&MTLBinding::number<&nexus_metal_binding::index>>("index"),
     getter<&MTLBinding::used>("isUsed"), getter<&MTLBinding::used>("isArgument"),
     getter<&MTLBinding::number<&nexus_metal_binding::size>>("bufferDataSize"),
     getter<&MTLBinding::number<&nexus_metal_binding::alignment>>("bufferAlignment"),
     getter<&MTLBinding::number<&nexus_metal_binding::data_type>>("bufferDataType"),
     getter<&MTLBinding::number<&nexus_metal_binding::size>>("threadgroupMemoryDataSize"),
     getter<&MTLBinding::number<&nexus_metal_binding::alignment>>("threadgroupMemoryAlignment")});

const Class &MTLComputePipelineReflection::kClass =
    *new Class("MTLComputePipelineReflection", nullptr,
               {get<&MTLComputePipelineReflection::bindings>("bindings")});

MTLComputePipelineReflection::MTLComputePipelineReflection(const MTLFunction &function)
    : Object(kClass), bindings(make<NSArray>(bindings_of(function))) {}

const Class &MTLComputePipelineDescriptor::kClass =
    *new Class("MTLComputePipelineDescriptor", nullptr,
               {get<&MTLComputePipelineDescriptor::function>("computeFunction"),
                set<&MTLComputePipelineDescriptor::function>("setComputeFunction:"),
                get<&MTLComputePipelineDescriptor::label>("label"),
                set<&MTLComputePipelineDescriptor::label>("setLabel:"),
                get<&MTLComputePipelineDescriptor::multiple>(
                    "threadGroupSizeIsMultipleOfThreadExecutionWidth"),
                set<&MTLComputePipelineDescriptor::multiple>(
                    "setThreadGroupSizeIsMultipleOfThreadExecutionWidth:"),
                get<&MTLComputePipelineDescriptor::most>("maxTotalThreadsPerThreadgroup"),
                set<&MTLComputePipelineDescriptor::most>("setMaxTotalThreadsPerThreadgroup:")},
               {alloc<MTLComputePipelineDescriptor>(), new_object<MTLComputePipelineDescriptor>()});

const Class &MTLComputePipelineState::kClass =
    *new Class("MTLComputePipelineState", "OfDevice",
               {method<&MTLComputePipelineState::maxTotalThreadsPerThreadgroup>(
                    "maxTotalThreadsPerThreadgroup"),
                method<&MTLComputePipelineState::threadExecutionWidth>("threadExecutionWidth"),
                method<&MTLComputePipelineState::staticThreadgroupMemoryLength>(
                    "staticThreadgroupMemoryLength")});

MTLComputePipelineState::MTLComputePipelineState(MTLFunction &of, NSUInteger most)
    : OfDevice(kClass, *of.device()),
      function_(&of),
      bindings_(of.bindings()),
      static_memory_(of.static_memory()),
      most_(static_cast<NSUInteger>(of.function.max_threads())) {
  if (most != 0) most_ = std::min(most, most_);
  const NSUInteger room = of.device()->maxThreadgroupMemoryLength();
  if (static_memory_ > room) {
    throw Failed{3,
                 "Threadgroup memory size (" + std::to_string(static_memory_) +
                     ") exceeds the maximum threadgroup memory allowed (" + std::to_string(room) +
                     ")",
                 "AGXMetalG13X"};
  }
}

NSUInteger MTLComputePipelineState::threadExecutionWidth() {
  return static_cast<NSUInteger>(device()->simulated().attribute(simulator::kWarpSize));
}

MTLComputePipelineState *MTLDevice::newPipeline(MTLFunction *function, NSError **) {
  if (function == nullptr) die("newComputePipelineStateWithFunction:error: of nil");
  return make<MTLComputePipelineState>(*function, 0).leak();
}

MTLComputePipelineState *MTLDevice::newPipelineReflected(MTLFunction *function, NSUInteger options,
                                                         MTLComputePipelineReflection **reflection,
                                                         NSError **error) {
  auto made = Ref<MTLComputePipelineState>::adopt(newPipeline(function, error));
  const bool wanted = (options & MTLPipelineOptionArgumentInfo) != 0 && reflection != nullptr;
  if (wanted) *reflection = make<MTLComputePipelineReflection>(*function).autoreleased();
  return made.leak();
}

MTLComputePipelineState *MTLDevice::newPipelineDescribed(MTLComputePipelineDescriptor *descriptor,
                                                         NSUInteger options,
                                                         MTLComputePipelineReflection **reflection,
                                                         NSError **error) {
  if (descriptor->function.get() == nullptr)
    die("an MTLComputePipelineDescriptor without function");
  auto made = make<MTLComputePipelineState>(*descriptor->function, descriptor->most);
  const bool wanted = (options & MTLPipelineOptionArgumentInfo) != 0 && reflection != nullptr;
  if (wanted) {
    *reflection = make<MTLComputePipelineReflection>(*descriptor->function).autoreleased();
  }
  (void)error;
  return made.leak();
}

}  // namespace metal
