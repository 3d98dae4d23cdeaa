// SPDX-License-Identifier: Apache-2.0
#include <nexus/object_code.hpp>
#include <string>
#include <string_view>

#include "arrays/host_array.hpp"
#include "python/gil.hpp"
#include "types/object.hpp"
#include "values/parse.hpp"

namespace nexus::python {
namespace {

const char *originName(nexus_code_origin origin) {
  switch (origin) {
    case NEXUS_CODE_COMPILED:
      return "compiled";
    case NEXUS_CODE_FROM_MEMORY:
      return "memory";
    case NEXUS_CODE_FROM_DISK:
      return "disk";
    default:
      return "file";
  }
}

nexus_object_code_info infoOf(const ObjectCode &self) {
  auto info = nexus::detail::sized<nexus_object_code_info>();
  nexus::detail::check(nexus_object_code_get_info(self.get(), &info));
  return info;
}

// Compilers may write any bytes.
py::str shown(nxs_string text) {
  return decoded(nexus::detail::toView(text));
}

template <nxs_string nexus_object_code_info::*Text>
py::str textOf(const ObjectCode &self) {
  return shown(infoOf(self).*Text);
}

py::object parseJson(nxs_string text) {
  if (text.size == 0) {
    return py::list();
  }
  return py::module_::import("json").attr("loads")(shown(text));
}

py::bytes codeOf(const ObjectCode &self) {
  const nexus_object_code_info info = infoOf(self);
  return py::bytes(info.code.data, static_cast<std::size_t>(info.code.size));
}

py::object kernelsOf(const ObjectCode &self) {
  return py::module_::import("nexus._compile._object_code")
      .attr("kernels")(parseJson(infoOf(self).kernels));
}

py::bytes writeCode(const ObjectCode &self) {
  return py::bytes(withoutGil([&] { return self.write(); }));
}

ObjectCode readCode(py::handle data) {
  const HostArray bytes(data, HostArray::Access::Read, "data");
  const std::string_view view(static_cast<const char *>(bytes.data()),
                              static_cast<std::size_t>(bytes.size()));
  return withoutGil([&] { return ObjectCode::read(view); });
}

ObjectCode readCodeFile(py::handle pathObject) {
  constexpr const char *wanted = "a path (str or os.PathLike)";
  if (PyBytes_Check(pathObject.ptr()) != 0) {
    // elsewhere bytes are a library's contents, not a path
    throwTypeError("path", wanted, pathObject);
  }
  const std::string path = parsePath(pathObject, "path", wanted);
  try {
    return withoutGil([&] { return ObjectCode::load(path); });
  } catch (const Error &error) {
    throwForFile("path", path, "object code", error);
    throw;
  }
}

std::string describeObjectCode(const ObjectCode &self) {
  return "'" + self.getName() + "': " + std::to_string(self.getCode().size()) + " bytes of " +
         self.getFormat() + " for " + self.getRuntime();
}

void bindTexts(py::class_<Held<ObjectCode>> &cls) {
  property<&codeOf>(cls, "code: bytes\n\nThe code's bytes, which Device.load_library accepts.");
  property<&textOf<&nexus_object_code_info::name>>(cls, "name: str\n\nThe program's name.");
  property<&textOf<&nexus_object_code_info::runtime>>(
      cls, "runtime: str\n\nThe backend that compiled the code and can load it, such as 'cpu'.");
  property<&textOf<&nexus_object_code_info::target>>(
      cls, "target: str\n\nThe architecture that the code is for, in full.");
  property<&textOf<&nexus_object_code_info::format>>(
      cls, "format: str\n\nThe code's format, such as 'elf'.");
  property<&textOf<&nexus_object_code_info::log>>(
      cls, "log: str\n\nThe compiler's output, such as warnings; often empty.");
  property<[](const ObjectCode &self) { return py::tuple(parseJson(infoOf(self).flags)); }>(
      cls, "flags: tuple[str, ...]\n\nThe compiler's flags, without the names of files.");
  property<[](const ObjectCode &self) { return std::string(originName(infoOf(self).origin)); }>(
      cls,
      "origin: str\n\nThe code's origin: 'compiled' in this call, 'memory' or 'disk' (the caches), "
      "or 'file' (loaded or unpickled).");
}

}  // namespace

void registerObjectCode(py::module_ &module) {
  auto cls = makeClass<ObjectCode>(
      module, "ObjectCode",
      "A compiled program, with the descriptions of its kernels. Can be pickled.\n\nMade by "
      "Program.compile(target) and ObjectCode.load(path); Device.load_library(code) makes a "
      "library of it.",
      madeBy("Program.compile()"));
  bindObject<&describeObjectCode>(cls);
  bindTexts(cls);
  property<&kernelsOf>(cls,
                       "kernels: tuple[KernelDescription, ...]\n\nThe kernels; empty if this "
                       "machine can't read the code, such as code for another architecture.");
  method<[](py::handle self, py::handle path) {
    py::module_::import("nexus._compile._object_code").attr("save")(self, path);
  }>(cls,
     "save(self, path: str | os.PathLike[str]) -> None\n\nWrites the object code to a file, "
     "atomically. Raises FileNotFoundError if the folder does not exist.");
  staticMethod<&readCodeFile>(
      cls,
      "load(path: str | os.PathLike[str]) -> ObjectCode\n\nReads a file that save() wrote, also of "
      "another process or version. Raises FileNotFoundError (also a NexusError) if it does not "
      "exist, NexusError if it is not object code, truncated, changed, not a regular file, or "
      "larger than 1 GiB.");
  method<[](const ObjectCode &self, py::handle) {
    const py::object read = py::module_::import("nexus._core").attr("read_object_code");
    return py::make_tuple(read, py::make_tuple(writeCode(self)));
  }>(cls,
     "__reduce_ex__(self, protocol: int, /) -> tuple[object, ...]\n\nReturns the bytes and the "
     "function that reads them, for pickle.");
}

void registerObjectCodeFunctions(py::module_ &module) {
  function<[](py::handle code) { return writeCode(argumentOf<ObjectCode>(code, "code")); }>(
      module,
      "write_object_code(code: ObjectCode) -> bytes\n\nReturns the whole object code, for "
      "read_object_code.");
  function<&readCode>(
      module,
      "read_object_code(data: Array) -> ObjectCode\n\nReads the result of write_object_code.");
}

}  // namespace nexus::python
