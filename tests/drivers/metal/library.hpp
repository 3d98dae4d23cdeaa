// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_METAL_LIBRARY_HPP_
#define NEXUS_SIMULATED_METAL_LIBRARY_HPP_

#include "../kernels/metal_kernel.h"
#include "../simulator/library.hpp"
#include "device.hpp"

#include <memory>
#include <vector>

namespace metal {

struct MTLCompileOptions : Object {
  static const Class &kClass;
  MTLCompileOptions() : Object(kClass) {}

  bool fast = true;
  NSUInteger language = 3 << 16;  // 3.0
  NSInteger mode = 2;
  Ref<NSDictionary> macros;
};

struct MTLLibrary : OfDevice {
  static const Class &kClass;
  // object: the code that the host runs. Throws Failed.
  MTLLibrary(MTLDevice &of, const std::string &object);
  ~MTLLibrary() override;

  NSArray *functionNames();
  // Nil where there is none.
  MTLFunction *newFunction(NSString *name);

  simulator::Module &module() const { return *module_; }

 private:
  std::shared_ptr<simulator::Module> module_;
};

struct MTLFunction : OfDevice {
  static const Class &kClass;
  MTLFunction(MTLLibrary &of, simulator::Function &what)
      : OfDevice(kClass, *of.device()), library(&of), function(what) {}

  NSString *name() { return autoreleased(function.name()); }
  NSUInteger functionType() { return MTLFunctionTypeKernel; }

  // What the code tells of its parameters, and of the arrays in threadgroup memory, bytes.
  std::vector<nexus_metal_binding> bindings() const;
  NSUInteger static_memory() const;

  const Ref<MTLLibrary> library;
  const simulator::Function &function;
};

}  // namespace metal

#endif  // NEXUS_SIMULATED_METAL_LIBRARY_HPP_
