// SPDX-License-Identifier: Apache-2.0
//
// Functions on which nexus/_program.py, nexus/_options.py and nexus/_object_code.py build programs.

#include <nexus/device.hpp>

#include <string>
#include <vector>

#include "python/gil.hpp"
#include "types/object.hpp"

namespace nexus::python {
namespace {

// The UTF-8 of a str, as long as the str lives.
nxs_string viewOf(py::handle value) {
  Py_ssize_t size = 0;
  const char *const text = PyUnicode_AsUTF8AndSize(value.ptr(), &size);
  if (text == nullptr) {
    throw py::error_already_set();
  }
  return {text, static_cast<std::uint64_t>(size)};
}

std::vector<nxs_string> viewsOf(py::handle texts) {
  std::vector<nxs_string> views;
  for (const py::handle text : py::reinterpret_borrow<py::tuple>(texts)) {
    views.push_back(viewOf(text));
  }
  return views;
}

// A program as a struct of libnexus. Borrows the texts, which the caller's frame keeps.
class ProgramInfo {
 public:
  // settings: from nexus._compile._options.settings_of.
  ProgramInfo(py::handle source, py::handle language, py::handle name, py::handle settings) {
    const auto parts = py::reinterpret_borrow<py::tuple>(settings);
    defines_ = viewsOf(parts[3]);
    includePaths_ = viewsOf(parts[4]);
    options_ = viewsOf(parts[5]);
    nameExpressions_ = viewsOf(parts[6]);
    info_.struct_size = sizeof(info_);
    info_.source = viewOf(source);
    info_.language = viewOf(language);
    info_.name = viewOf(name);
    info_.standard = viewOf(parts[0]);
    info_.flags = py::cast<nxs_compile_flags>(parts[1]);
    info_.optimization = py::cast<std::int32_t>(parts[2]);
    info_.defines = defines_.data();
    info_.define_count = defines_.size();
    info_.include_paths = includePaths_.data();
    info_.include_path_count = includePaths_.size();
    info_.options = options_.data();
    info_.option_count = options_.size();
    info_.name_expressions = nameExpressions_.data();
    info_.name_expression_count = nameExpressions_.size();
  }
  ProgramInfo(const ProgramInfo &) = delete;
  ProgramInfo &operator=(const ProgramInfo &) = delete;

  const nexus_program_info *get() const noexcept { return &info_; }

 private:
  std::vector<nxs_string> defines_;
  std::vector<nxs_string> includePaths_;
  std::vector<nxs_string> options_;
  std::vector<nxs_string> nameExpressions_;
  nexus_program_info info_{};
};

nexus_device *optionalDevice(py::handle device) {
  return device.is_none() ? nullptr : argumentOf<Device>(device, "device").get();
}

// Ctrl-C during a compilation also ends the compiler, whose failure would be reported instead.
void raiseInterrupt() {
  if (PyErr_CheckSignals() != 0) {
    throw py::error_already_set();
  }
}

// Calls make(&code), which compiles or links, without the GIL.
template <class Make>
ObjectCode makeCode(Make &&make) {
  nexus_object_code *code = nullptr;
  try {
    withoutGil([&] { nexus::detail::check(make(&code)); });
  } catch (const Error &) {
    raiseInterrupt();
    throw;
  }
  ObjectCode made(code);
  raiseInterrupt();
  return made;
}

ObjectCode compileProgram(py::handle device, py::handle target, py::handle source,
                          py::handle language, py::handle name, py::handle settings) {
  const ProgramInfo program(source, language, name, settings);
  nexus_device *const on = optionalDevice(device);
  const nxs_string text = viewOf(target);
  return makeCode(
      [&](nexus_object_code **code) { return nexus_compile(on, text, program.get(), code); });
}

nxs_string bytesOf(py::handle value) {
  char *data = nullptr;
  Py_ssize_t size = 0;
  if (PyBytes_AsStringAndSize(value.ptr(), &data, &size) != 0) {
    throw py::error_already_set();
  }
  return {data, static_cast<std::uint64_t>(size)};
}

ObjectCode linkProgram(py::handle device, py::handle target, py::handle codes, py::handle names,
                       py::handle name, py::handle settings) {
  const auto parts = py::reinterpret_borrow<py::tuple>(settings);
  std::vector<nxs_string> pieces;
  for (const py::handle code : py::reinterpret_borrow<py::tuple>(codes)) {
    pieces.push_back(bytesOf(code));
  }
  const std::vector<nxs_string> titles = viewsOf(names);
  const std::vector<nxs_string> options = viewsOf(parts[5]);
  auto info = nexus::detail::sized<nexus_link_info>();
  info.codes = pieces.data();
  info.names = titles.data();
  info.code_count = pieces.size();
  info.name = viewOf(name);
  info.flags = py::cast<nxs_compile_flags>(parts[1]);
  info.optimization = py::cast<std::int32_t>(parts[2]);
  info.options = options.data();
  info.option_count = options.size();
  nexus_device *const on = optionalDevice(device);
  const nxs_string text = viewOf(target);
  return makeCode([&](nexus_object_code **code) { return nexus_link(on, text, &info, code); });
}

std::string describeCompile(py::handle device, py::handle target, py::handle language,
                            py::handle settings) {
  const py::str nothing("");
  const ProgramInfo program(nothing, language, nothing, settings);
  nexus_device *const on = optionalDevice(device);
  const nxs_string text = viewOf(target);
  nexus::detail::StringSink json;
  withoutGil(
      [&] { nexus::detail::check(nexus_describe_compile(on, text, program.get(), json.get())); });
  return json.take();
}

py::tuple cacheInfo() {
  auto info = nexus::detail::sized<nexus_cache_info>();
  withoutGil([&] { nexus::detail::check(nexus_cache_get_info(&info)); });
  // The texts live until this thread's next call of libnexus.
  const std::string folder(nexus::detail::toView(info.folder));
  const std::string off(nexus::detail::toView(info.off));
  return py::make_tuple(folder, off, info.entries, info.bytes, info.limit, info.from_memory,
                        info.from_disk, info.compiled);
}

std::uint64_t clearCache() {
  std::uint64_t entries = 0;
  withoutGil([&] { nexus::detail::check(nexus_cache_clear(&entries)); });
  return entries;
}

}  // namespace

void registerProgram(py::module_ &module) {
  function<&compileProgram>(
      module,
      "compile_program(device: Device | None, target: str, source: str, language: str, name: str, "
      "settings: Settings) -> ObjectCode\n\nCompiles a program for a device, or for the target "
      "that a text names.");
  function<&linkProgram>(
      module,
      "link_program(device: Device | None, target: str, codes: tuple[bytes, ...], names: "
      "tuple[str, ...], name: str, settings: Settings) -> ObjectCode\n\nLinks pieces of code for a "
      "device, or for the target that a text names.");
  function<&describeCompile>(
      module,
      "describe_compile(device: Device | None, target: str, language: str, settings: Settings) -> "
      "str\n\nReturns what compile_program would do, as JSON.");
  function<&cacheInfo>(module,
                       "cache_info() -> tuple[str, str, int, int, int, int, int, int]\n\nReturns "
                       "the fields of CacheInfo in order.");
  function<&clearCache>(module,
                        "cache_clear() -> int\n\nEmpties the caches of object code; returns the "
                        "number of entries removed from disk.");
}

}  // namespace nexus::python
