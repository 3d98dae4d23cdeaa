// SPDX-License-Identifier: Apache-2.0
//
// hipRTC by NVRTC: programs are compiled as CUDA C++, for which the portable language has a dialect
// of its own: nexus-core puts only that for HIP into a program, so it comes from the folder
// NEXUS_KERNEL_HEADERS. What NVRTC makes goes into a code object for gfx1100, which tells AMD's way
// what the PTX tells of the kernels: a cubin for the architecture that NEXUS_HIP_OVER_CUDA names
// ("sm_90"), else PTX. NEXUS_CUDA_NVRTC names NVRTC, else the loader finds it.
#include "../../kernels/code_object.hpp"

#include <dlfcn.h>
#include <cstdlib>
#include <regex>

#define HIP_EXPORT extern "C" __attribute__((visibility("default"))) int

using simulated_kernels::DescribedKernel, simulated_kernels::Parameter;

// Many results have the numbers of hipRTC's.
using nvrtcResult = int;
using nvrtcProgram = struct _nvrtcProgram *;

struct _hiprtcProgram {
  nvrtcProgram program = nullptr;
  std::string code, log;
};
using hiprtcProgram = _hiprtcProgram *;

namespace {

constexpr int kInternalError = 11;

struct Nvrtc {
#define NVRTC_FUNCTION(need, name, parameters) nvrtcResult(*name) parameters = nullptr;
#include <compile/toolkit_functions.def>
};

const Nvrtc *open_nvrtc() {
  const char *const named = std::getenv("NEXUS_CUDA_NVRTC");
  void *library = nullptr;
  for (const char *each : {named, "libnvrtc.so.12", "libnvrtc.so.13"}) {
    if (library == nullptr && each != nullptr) library = dlopen(each, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return nullptr;
  auto *const made = new Nvrtc;
#define NVRTC_FUNCTION(need, name, parameters) \
  made->name = reinterpret_cast<decltype(made->name)>(dlsym(library, "nvrtc" #name));
#include <compile/toolkit_functions.def>
  return made;
}

const Nvrtc *nvrtc() {
  static const Nvrtc *const opened = open_nvrtc();
  return opened;
}

// The options of clang, as NVRTC has them. Optimization is always full.
std::vector<std::string> options_of(int count, const char *const *given) {
  const char *const architecture = std::getenv("NEXUS_HIP_OVER_CUDA");
  std::vector<std::string> options = {
      "--gpu-architecture=" + std::string(architecture == nullptr ? "compute_80" : architecture),
      "-I" NEXUS_KERNEL_HEADERS};
  for (const std::string &option : std::vector<std::string>(given, given + count)) {
    if (option.starts_with("--offload-arch=") || option.starts_with("-O")) continue;
    options.push_back(option == "-ffast-math"          ? "--use_fast_math"
                      : option == "-g"                 ? "--device-debug"
                      : option == "-gline-tables-only" ? "--generate-line-info"
                                                       : option);
  }
  return options;
}

// ---- What PTX tells of its kernels ----

uint32_t number_in(const std::ssub_match &digits, uint32_t otherwise) {
  return digits.length() == 0 ? otherwise : static_cast<uint32_t>(std::stoul(digits.str()));
}

// The parameters in ".param .u64 x_param_0, .param .align 4 .b8 x_param_1[12]".
void read_parameters(const std::string &list, DescribedKernel &out) {
  static const std::regex form(
      R"(\.param\s+(?:\.align\s+(\d+)\s+)?\.[a-z]+(\d+)\s+(\.ptr)?[^,\[]*(?:\[(\d+)\])?)");
  for (std::sregex_iterator each(list.begin(), list.end(), form), end; each != end; ++each) {
    constexpr uint32_t kBits = 8;
    const uint32_t element = number_in((*each)[2], kBits) / kBits;
    const uint32_t size = element * number_in((*each)[4], 1);
    const uint32_t alignment = number_in((*each)[1], element);
    const uint32_t offset = (out.parameter_bytes + alignment - 1) / alignment * alignment;
    out.parameters.push_back({offset, size, (*each)[3].matched});
    out.parameter_bytes = offset + size;
  }
}

// The variable in ".b8 nexus_kernel_x[208] = {1, 0, 0};". PTX leaves out zeros at the end.
std::string description_in(const std::string &ptx, const std::string &kernel) {
  const std::string name = " nexus_kernel_" + kernel + "[";
  const size_t at = ptx.find(name);
  if (at == std::string::npos) return {};
  std::string bytes(std::stoul(ptx.substr(at + name.size())), '\0');
  size_t digit = ptx.find('{', at);
  for (char &byte : bytes) {
    size_t length = 0;
    byte = static_cast<char>(std::stoi(ptx.substr(digit + 1, 8), &length));
    digit += 1 + length;
    if (ptx[digit] != ',') break;
  }
  return bytes;
}

std::vector<DescribedKernel> kernels_in_ptx(const std::string &ptx) {
  static const std::regex bound(R"(\.(?:max|req)ntid\s+(\d+)(?:,\s*(\d+))?(?:,\s*(\d+))?)");
  const std::string keyword = ".entry ";
  std::vector<DescribedKernel> kernels;
  for (size_t at = ptx.find(keyword); at != std::string::npos; at = ptx.find(keyword, at)) {
    at += keyword.size();
    const size_t open = ptx.find('(', at), close = ptx.find(')', open), body = ptx.find('{', close);
    DescribedKernel kernel;
    kernel.name = ptx.substr(at, open - at);
    read_parameters(ptx.substr(open, close - open), kernel);
    const std::string limits = ptx.substr(close, body - close);
    std::smatch most;
    if (std::regex_search(limits, most, bound)) {
      kernel.max_threads = number_in(most[1], 1) * number_in(most[2], 1) * number_in(most[3], 1);
    }
    kernel.description = description_in(ptx, kernel.name);
    kernels.push_back(std::move(kernel));
  }
  return kernels;
}

// ---- The result of a compilation ----

// What NVRTC gives; empty if it has none. Texts end with a zero.
template <class GetSize, class Get>
std::string bytes_of(nvrtcProgram program, GetSize get_size, Get get) {
  size_t size = 0;
  if (get_size(program, &size) != 0) size = 0;
  std::string bytes(size, '\0');
  if (size != 0 && get(program, bytes.data()) != 0) bytes.clear();
  return bytes;
}

nvrtcResult compile(_hiprtcProgram &out, int count, const char *const *given) {
  const std::vector<std::string> options = options_of(count, given);
  std::vector<const char *> texts;
  for (const std::string &each : options) texts.push_back(each.c_str());
  const nvrtcResult result =
      nvrtc()->CompileProgram(out.program, static_cast<int>(texts.size()), texts.data());
  // "x(3): error" as clang has it: "x:3:1: error".
  static const std::regex place(R"((^|\n)([^\n(]+)\((\d+)\): )");
  const std::string log = bytes_of(out.program, nvrtc()->GetProgramLogSize, nvrtc()->GetProgramLog);
  out.log = std::regex_replace(std::string(log.c_str()), place, "$1$2:$3:1: ");
  if (result != 0) return result;
  const std::string ptx = bytes_of(out.program, nvrtc()->GetPTXSize, nvrtc()->GetPTX);
  const std::string cubin = bytes_of(out.program, nvrtc()->GetCUBINSize, nvrtc()->GetCUBIN);
  constexpr uint32_t kGfx1100 = 0x41, kWave = 32;
  out.code = simulated_kernels::code_object_of(kernels_in_ptx(ptx), cubin.empty() ? ptx : cubin,
                                               {"gfx1100", kGfx1100, kWave});
  return 0;
}

}  // namespace

HIP_EXPORT hiprtcCreateProgram(hiprtcProgram *out_program, const char *source, const char *name,
                               int header_count, const char *const *headers,
                               const char *const *include_names) {
  if (nvrtc() == nullptr) return kInternalError;
  *out_program = new _hiprtcProgram;
  return nvrtc()->CreateProgram(&(*out_program)->program, source, name, header_count, headers,
                                include_names);
}

HIP_EXPORT hiprtcAddNameExpression(hiprtcProgram program, const char *expression) {
  return nvrtc()->AddNameExpression(program->program, expression);
}

HIP_EXPORT hiprtcCompileProgram(hiprtcProgram program, int count, const char *const *options) {
  try {
    return compile(*program, count, options);
  } catch (const std::exception &error) {
    program->log = error.what();
    return kInternalError;
  }
}

#define HIP_RESULT(name, member)                                              \
  HIP_EXPORT hiprtcGet##name##Size(hiprtcProgram program, size_t *out_size) { \
    *out_size = program->member.size();                                       \
    return 0;                                                                 \
  }                                                                           \
  HIP_EXPORT hiprtcGet##name(hiprtcProgram program, char *out) {              \
    program->member.copy(out, program->member.size());                        \
    return 0;                                                                 \
  }
HIP_RESULT(ProgramLog, log)
HIP_RESULT(Code, code)

HIP_EXPORT hiprtcGetLoweredName(hiprtcProgram program, const char *expression,
                                const char **out_name) {
  return nvrtc()->GetLoweredName(program->program, expression, out_name);
}
