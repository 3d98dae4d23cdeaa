// SPDX-License-Identifier: Apache-2.0
#include <nexus/object_code.hpp>
#include <string>
#include <string_view>

#include "arrays/host_array.hpp"
#include "python/gil.hpp"
#include "python/text.hpp"
#include "types/object.hpp"

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
  nexus_object_code_info info{};
  info.struct_size = sizeof(info);
  nexus::detail::check(nexus_object_code_get_info(self.get(), &info));
  return info;
}

// Compilers may write any bytes.
py::str shown(nxs_string text) {
  return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(
      text.data == nullptr ? "" : text.data, static_cast<Py_ssize_t>(text.size), "replace"));
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
  return py::module_::import("nexus._object_code").attr("kernels")(parseJson(infoOf(self).kernels));
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
  property<&codeOf>(cls, "code: bytes\n\nThe code itself, as Device.load_library takes it.");
  property<&textOf<&nexus_object_code_info::name>>(cls, "name: str\n\nThe program's name.");
  property<&textOf<&nexus_object_code_info::runtime>>(
      cls,
      "runtime: str\n\nThe name of the backend that compiled it and can load it, such as 'cpu'.");
  property<&textOf<&nexus_object_code_info::target>>(
      cls, "target: str\n\nThe architecture that it is for, spelled out.");
  property<&textOf<&nexus_object_code_info::format>>(cls,
                                                     "format: str\n\nOf the code, such as 'elf'.");
  property<&textOf<&nexus_object_code_info::log>>(
      cls, "log: str\n\nWhat the compiler said, such as warnings; often empty.");
  property<[](const ObjectCode &self) { return py::tuple(parseJson(infoOf(self).flags)); }>(
      cls, "flags: tuple[str, ...]\n\nWhat the compiler was given, without the names of files.");
  property<[](const ObjectCode &self) { return std::string(originName(infoOf(self).origin)); }>(
      cls,
      "origin: str\n\nWhere it came from: 'compiled' in this call, 'memory' and 'disk' for the "
      "caches, 'file' where it was loaded or unpickled.");
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
  bindHtml(cls);
  bindTexts(cls);
  property<&kernelsOf>(
      cls,
      "kernels: tuple[KernelDescription, ...]\n\nThe kernels; empty where this machine can't look "
      "into the code, as of another architecture.");
  method<[](py::handle self, py::handle path) {
    py::module_::import("nexus._object_code").attr("save")(self, path);
  }>(cls,
     "save(self, path: str | os.PathLike[str]) -> None\n\nWrites all of it to a file, which "
     "appears "
     "whole or not at all. Raises FileNotFoundError where the folder is not there.");
  staticMethod<&readCodeFile>(
      cls,
      "load(path: str | os.PathLike[str]) -> ObjectCode\n\nReads what save() wrote, in another "
      "process or version too. Raises FileNotFoundError (also a NexusError) where there is no such "
      "file, NexusError where it is no object code, cut short or changed, a pipe or a device, or "
      "larger than 1 GiB.");
  method<[](const ObjectCode &self, py::handle) {
    const py::object read = py::module_::import("nexus._core").attr("read_object_code");
    return py::make_tuple(read, py::make_tuple(writeCode(self)));
  }>(cls,
     "__reduce_ex__(self, protocol: int, /) -> tuple[object, ...]\n\nFor pickle: the bytes, and "
     "what reads them.");
}

void registerObjectCodeFunctions(py::module_ &module) {
  function<[](py::handle code) { return writeCode(argumentOf<ObjectCode>(code, "code")); }>(
      module,
      "write_object_code(code: ObjectCode) -> bytes\n\nAll of it, as read_object_code takes it.");
  function<&readCode>(module,
                      "read_object_code(data: Array) -> ObjectCode\n\nReads what "
                      "write_object_code wrote.");
}

}  // namespace nexus::python
