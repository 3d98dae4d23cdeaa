// SPDX-License-Identifier: Apache-2.0 A program that compiles with hipRTC once. The HIP backend
// starts it for each compilation, because hipRTC may end its whole process, as HIP 5.2.3's does for
// an unknown architecture.
//
//   hiprtc_process LIBRARIES                        tells where hipRTC is, and its compiler
//   hiprtc_process LIBRARIES FOLDER NAME COUNT EXPRESSION... OPTION...
//
// LIBRARIES: names for the loader, parted by ':', of which the first with hipRTC in it is used.
// FOLDER has the file "source", and gets "log", "code", "names" (the symbols of the COUNT name
// expressions, a line each) and, last, "result": the number that hipRTC returned, and by which
// function. Exits with 0 if there is a result, else with a line that says why.
#include <dlfcn.h>
#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>

namespace {

using hiprtcProgram = struct hiprtcProgramObject *;

struct Hiprtc {
#define HIPRTC_FUNCTION(name, parameters) int(*name) parameters = nullptr;
#include "compile/hiprtc_functions.def"
};

// Returns its path; empty if none of the libraries has it, with the loader's first words in why.
std::string open_hiprtc(const char *libraries, Hiprtc &out, std::string &why) {
  std::istringstream names(libraries);
  for (std::string name; std::getline(names, name, ':');) {
    void *const opened = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened == nullptr) {
      const char *const words = dlerror();
      if (why.empty() && words != nullptr) why = words;
      continue;
    }
    bool whole = true;
#define HIPRTC_FUNCTION(name, parameters)                                         \
  out.name = reinterpret_cast<decltype(out.name)>(dlsym(opened, "hiprtc" #name)); \
  whole = whole && out.name != nullptr;
#include "compile/hiprtc_functions.def"
    Dl_info found{};
    if (whole && dladdr(reinterpret_cast<void *>(out.CompileProgram), &found) != 0) {
      return found.dli_fname;
    }
    if (why.empty()) why = name + " lacks functions of hipRTC";
  }
  return {};
}

// The path of the library that hipRTC compiles with, the one that is open already if there is one;
// empty if none is found.
std::string comgr_path() {
  for (const int flags : {RTLD_LAZY | RTLD_NOLOAD, RTLD_LAZY}) {
    for (const char *name : {"libamd_comgr.so.3", "libamd_comgr.so.2", "libamd_comgr.so"}) {
      void *const opened = dlopen(name, flags);
      Dl_info found{};
      void *const entry = opened == nullptr ? nullptr : dlsym(opened, "amd_comgr_get_version");
      if (entry != nullptr && dladdr(entry, &found) != 0) return found.dli_fname;
    }
  }
  return {};
}

// A program, and the files that it comes from and becomes.
class Compilation {
 public:
  Compilation(const Hiprtc &hiprtc, const std::string &folder) : hiprtc_(hiprtc), folder_(folder) {}

  // arguments: COUNT and what follows it.
  void run(const char *name, const char *const *arguments, int count) {
    std::ifstream file(folder_ + "/source", std::ios::binary);
    const std::string source{std::istreambuf_iterator<char>(file),
                             std::istreambuf_iterator<char>()};
    const int expressions = std::atoi(arguments[0]);
    const char *const *const options = arguments + 1 + expressions;
    const bool made =
        keep(hiprtc_.CreateProgram(&program_, source.c_str(), name, 0, nullptr, nullptr),
             "hiprtcCreateProgram") &&
        add_expressions(arguments + 1, expressions);
    if (!made) return;
    const bool compiled = keep(hiprtc_.CompileProgram(program_, count - 1 - expressions, options),
                               "hiprtcCompileProgram");
    write_text("log", hiprtc_.GetProgramLogSize, hiprtc_.GetProgramLog, "hiprtcGetProgramLog");
    if (!compiled) return;
    write_text("code", hiprtc_.GetCodeSize, hiprtc_.GetCode, "hiprtcGetCode");
    write_names(arguments + 1, expressions);
  }

  void write_result() {
    std::ofstream file(folder_ + "/result");
    file << result_ << ' ' << function_ << std::flush;
  }

 private:
  // Remembers what the first function that failed returned. Returns whether this one succeeded.
  bool keep(int result, const char *function) {
    if (result_ == 0) {
      result_ = result;
      function_ = function;
    }
    return result == 0;
  }

  bool add_expressions(const char *const *expressions, int count) {
    bool well = true;
    for (int i = 0; i < count; ++i) {
      well = well &&
             keep(hiprtc_.AddNameExpression(program_, expressions[i]), "hiprtcAddNameExpression");
    }
    return well;
  }

  template <class GetSize, class Get>
  void write_text(const char *name, GetSize get_size, Get get, const char *function) {
    std::size_t size = 0;
    if (!keep(get_size(program_, &size), function)) return;
    std::string bytes(size + 1, '\0');  // some do not count the zero at a text's end
    if (size != 0 && !keep(get(program_, bytes.data()), function)) return;
    bytes.resize(size);
    std::ofstream(folder_ + "/" + name, std::ios::binary) << bytes;
  }

  void write_names(const char *const *expressions, int count) {
    std::ofstream file(folder_ + "/names");
    for (int i = 0; i < count; ++i) {
      const char *symbol = nullptr;
      if (!keep(hiprtc_.GetLoweredName(program_, expressions[i], &symbol),
                "hiprtcGetLoweredName")) {
        return;
      }
      file << symbol << '\n';
    }
  }

  const Hiprtc &hiprtc_;
  const std::string folder_;
  hiprtcProgram program_ = nullptr;
  int result_ = 0;
  const char *function_ = "";
};

}  // namespace

int main(int count, char **arguments) {
  constexpr int kUsage = 2, kNoLibrary = 3, kCompiling = 5;  // the arguments before COUNT's end
  if (count < 2) return kUsage;
  Hiprtc hiprtc;
  std::string why;
  const std::string path = open_hiprtc(arguments[1], hiprtc, why);
  if (path.empty()) {
    std::cout << why << std::endl;
    return kNoLibrary;
  }
  if (count < kCompiling) {
    std::cout << "hiprtc: " << path << "\ncomgr: " << comgr_path() << std::endl;
    return 0;
  }
  Compilation compilation(hiprtc, arguments[2]);
  compilation.run(arguments[3], arguments + 4, count - 4);
  compilation.write_result();
  std::_Exit(0);  // without the library's exit handlers
}
