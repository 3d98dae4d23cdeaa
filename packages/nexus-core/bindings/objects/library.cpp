// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nexus/device.hpp>
#include <nexus/library.hpp>
#include <string>
#include <vector>

#include "arrays/buffer.hpp"
#include "objects/kernel.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

std::string describeLibrary(const Library &self) {
  const std::vector<std::string> keys = self.getPropertyKeys();
  if (std::find(keys.begin(), keys.end(), "Name") == keys.end()) {
    return "from memory";
  }
  return "'" + self.getProperty<std::string>(NP_Name) + "'";
}

Kernel getKernel(const Library &self, py::handle name) {
  const std::string text = parseText(name, "name");
  return withoutGil([&] { return self.getKernel(text); });
}

BufferObject getGlobal(const Library &self, py::handle name, py::handle dtype) {
  const std::string text = parseText(name, "name");
  BufferObject bytes(withoutGil([&] { return self.getGlobal(text); }));
  return dtype.is_none() ? std::move(bytes) : viewBuffer(bytes, dtype);
}

}  // namespace

void registerLibrary(py::module_ &module) {
  auto cls = makeClass<Library>(module, "Library",
                                "A loaded library of kernels.\n\nMade by "
                                "Device.load_library(source).",
                                madeBy("Device.load_library()"));
  bindObject<&describeLibrary>(cls);
  bindNativeHandle(cls);
  bindClose<&closeWithoutGil<Library>>(cls,
                                       "close(self) -> None\n\nCloses the library. Its kernels and "
                                       "their work stay valid. A second call does nothing.");
  property<[](const Library &self) { return self.getDevice(); }>(
      cls, "device: Device\n\nThe device that the library was loaded for.");
  method<[](const Library &self) { return self.getInfo(); }>(
      cls,
      "get_info(self) -> Properties\n\nReturns what a kernel catalog says about the library: its "
      "name, version, kernels and licence, and the build that was chosen. Empty if the library is "
      "not from a catalog.");
  method<&getKernel>(cls,
                     "get_kernel(self, name: str) -> Kernel\n\nReturns the kernel of that name. "
                     "Raises NexusError if there is none; the text names similar ones.");
  method<&getGlobal>(
      cls,
      "get_global(self, name: str, dtype: DTypeLike | None = None) -> Buffer\n\nReturns a buffer "
      "over the memory of a variable of the library, such as a table in constant memory. Kernels "
      "read what you write to it.\n\nname is the variable's symbol: its name in the source if it "
      "is outside of functions and namespaces. dtype is the type of its elements; None means plain "
      "bytes. The buffer keeps the code loaded. A copy or fill without a stream waits for all work "
      "submitted to the device. Raises NexusError if there is no such variable, if it can't be "
      "written, or if the backend has no access to variables (nexus.capability.Globals).");
  method<[](const Library &self) { return withoutGil([&] { return self.getKernels(); }); }>(
      cls,
      "get_kernels(self) -> ObjectList[Kernel]\n\nReturns the library's kernels, sorted by name. "
      "Raises PropertyNotFoundError if the backend can't list them.");
  function<[](py::handle library, py::handle info) {
    const Library &of = argumentOf<Library>(library, "library");
    nexus::detail::check(
        nexus_library_set_info(of.get(), nexus::detail::toString(parseText(info, "info"))));
  }>(module,
     "set_library_info(library: Library, info: str) -> None\n\nSets what Library.get_info() "
     "returns, a JSON object.");
}

}  // namespace nexus::python
