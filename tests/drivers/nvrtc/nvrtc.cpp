// SPDX-License-Identifier: Apache-2.0
//
// A compiler for the simulated driver, with the functions of NVRTC. Names and numbers are those of
// "NVRTC", the user guide of CUDA 12.9.
#include "../kernels/cubin.hpp"
#include "../kernels/host_compiler.hpp"
#include "../kernels/planned_failure.hpp"
#include "options.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <new>

// At the beginning of a function: it fails on demand.
#define FAIL_ON_DEMAND                                                                \
  if (const int planned =                                                             \
          simulated_kernels::planned_failure("NEXUS_SIMULATED_NVRTC_FAIL", __func__)) \
  return static_cast<nvrtcResult>(planned)
#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

using simulated_nvrtc::Options;

enum nvrtcResult : int32_t {
  NVRTC_SUCCESS = 0,
  NVRTC_ERROR_OUT_OF_MEMORY = 1,
  NVRTC_ERROR_INVALID_INPUT = 3,
  NVRTC_ERROR_INVALID_PROGRAM = 4,
  NVRTC_ERROR_INVALID_OPTION = 5,
  NVRTC_ERROR_COMPILATION = 6,
  NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
  NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
  NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  NVRTC_ERROR_INTERNAL_ERROR = 11,
  NVRTC_ERROR_CANCELLED = 16,
};

struct _nvrtcProgram {
  simulated_kernels::Program program;
  simulated_kernels::Compiled compiled;
  bool tried = false;
  std::string cubin, ptx, lto_ir, log;
  int (*callback)(void *payload, void *reserved) = nullptr;
  void *payload = nullptr;
};
using nvrtcProgram = _nvrtcProgram *;

namespace {

constexpr int kMajor = 12, kMinor = 9;
std::atomic<int> live_programs{0};
constexpr int kPtxVersion = 88;  // what NVRTC 12.9 writes, major * 10 + minor
constexpr std::array kArchitectures = {75, 80, 86, 87, 89, 90, 100, 120};

bool cancelled(const _nvrtcProgram &program) {
  return program.callback != nullptr && program.callback(program.payload, nullptr) != 0;
}

nvrtcResult finish(_nvrtcProgram &program, const Options &options) {
  program.log = program.compiled.log;
  if (!program.compiled.well) return NVRTC_ERROR_COMPILATION;
  const simulated_kernels::Code code{program.compiled.object, program.compiled.kernels,
                                     program.program.architecture, program.program.relocatable};
  if (options.lto) {
    program.lto_ir = simulated_kernels::lto_ir_of(code);
    return NVRTC_SUCCESS;
  }
  program.ptx = simulated_kernels::ptx_of(code, kPtxVersion);
  if (!options.is_virtual) program.cubin = simulated_kernels::cubin_of(code);
  return NVRTC_SUCCESS;
}

nvrtcResult compile(_nvrtcProgram &program, int count, const char *const *given) {
  Options options;
  if (const std::string wrong = options.read(count, given); !wrong.empty()) {
    program.log = "nvrtc: error: " + wrong + "\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  const auto &known = kArchitectures;
  if (std::find(known.begin(), known.end(), options.architecture) == known.end()) {
    program.log = "nvrtc: error: invalid value for --gpu-architecture (-arch)\n";
    return NVRTC_ERROR_INVALID_OPTION;
  }
  program.program.options = options.for_host;
  program.program.architecture = options.architecture;
  program.program.relocatable = options.relocatable || options.lto;
  if (cancelled(program)) return NVRTC_ERROR_CANCELLED;
  program.compiled = simulated_kernels::compile(program.program);
  if (cancelled(program)) return NVRTC_ERROR_CANCELLED;
  return finish(program, options);
}

}  // namespace

SIMULATED_EXPORT nvrtcResult nvrtcVersion(int *out_major, int *out_minor) {
  FAIL_ON_DEMAND;
  if (out_major == nullptr || out_minor == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *out_major = kMajor;
  *out_minor = kMinor;
  return NVRTC_SUCCESS;
}

SIMULATED_EXPORT nvrtcResult nvrtcGetNumSupportedArchs(int *out_count) {
  FAIL_ON_DEMAND;
  if (out_count == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  *out_count = static_cast<int>(kArchitectures.size());
  return NVRTC_SUCCESS;
}

SIMULATED_EXPORT nvrtcResult nvrtcGetSupportedArchs(int *out_numbers) {
  FAIL_ON_DEMAND;
  if (out_numbers == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  std::copy(kArchitectures.begin(), kArchitectures.end(), out_numbers);
  return NVRTC_SUCCESS;
}

SIMULATED_EXPORT nvrtcResult nvrtcCreateProgram(nvrtcProgram *out_program, const char *source,
                                                const char *name, int header_count,
                                                const char *const *headers,
                                                const char *const *include_names) {
  FAIL_ON_DEMAND;
  const bool no_headers = header_count > 0 && (headers == nullptr || include_names == nullptr);
  if (out_program == nullptr || source == nullptr || header_count < 0 || no_headers) {
    return NVRTC_ERROR_INVALID_INPUT;
  }
  auto *made = new (std::nothrow) _nvrtcProgram;
  if (made == nullptr) return NVRTC_ERROR_OUT_OF_MEMORY;
  ++live_programs;
  made->program.source = source;
  made->program.name = name == nullptr || *name == '\0' ? "default_program" : name;
  for (int i = 0; i < header_count; ++i) made->program.headers[include_names[i]] = headers[i];
  *out_program = made;
  return NVRTC_SUCCESS;
}

SIMULATED_EXPORT nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program) {
  FAIL_ON_DEMAND;
  if (program == nullptr || *program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  delete *program;
  --live_programs;
  *program = nullptr;
  return NVRTC_SUCCESS;
}

SIMULATED_EXPORT nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count,
                                                 const char *const *options) {
  FAIL_ON_DEMAND;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (count < 0 || (count > 0 && options == nullptr)) return NVRTC_ERROR_INVALID_INPUT;
  program->tried = true;
  try {
    return compile(*program, count, options);
  } catch (const std::bad_alloc &) {
    return NVRTC_ERROR_OUT_OF_MEMORY;
  } catch (const std::exception &error) {
    program->log = error.what();
    return NVRTC_ERROR_INTERNAL_ERROR;
  }
}

// Texts end with a zero byte, which their size counts. What was not made has size 0.
#define SIMULATED_RESULT(name, member, has_it, ending)                                       \
  SIMULATED_EXPORT nvrtcResult nvrtcGet##name##Size(nvrtcProgram program, size_t *out) {     \
    FAIL_ON_DEMAND;                                                                          \
    if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;                              \
    if (out == nullptr) return NVRTC_ERROR_INVALID_INPUT;                                    \
    *out = has_it ? program->member.size() + ending : 0;                                     \
    return NVRTC_SUCCESS;                                                                    \
  }                                                                                          \
  SIMULATED_EXPORT nvrtcResult nvrtcGet##name(nvrtcProgram program, char *out) {             \
    FAIL_ON_DEMAND;                                                                          \
    if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;                              \
    if (out == nullptr) return NVRTC_ERROR_INVALID_INPUT;                                    \
    std::memcpy(out, program->member.c_str(), has_it ? program->member.size() + ending : 0); \
    return NVRTC_SUCCESS;                                                                    \
  }
SIMULATED_RESULT(PTX, ptx, !program->ptx.empty(), 1)
SIMULATED_RESULT(CUBIN, cubin, true, 0)
SIMULATED_RESULT(LTOIR, lto_ir, true, 0)
SIMULATED_RESULT(ProgramLog, log, true, 1)

SIMULATED_EXPORT nvrtcResult nvrtcAddNameExpression(nvrtcProgram program, const char *expression) {
  FAIL_ON_DEMAND;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (program->tried) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
  if (expression == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  auto &known = program->program.expressions;
  if (std::find(known.begin(), known.end(), expression) == known.end()) known.push_back(expression);
  return NVRTC_SUCCESS;
}

SIMULATED_EXPORT nvrtcResult nvrtcGetLoweredName(nvrtcProgram program, const char *expression,
                                                 const char **out_name) {
  FAIL_ON_DEMAND;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  if (!program->compiled.well) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
  if (expression == nullptr || out_name == nullptr) return NVRTC_ERROR_INVALID_INPUT;
  const auto found = program->compiled.lowered.find(expression);
  if (found == program->compiled.lowered.end()) return NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *out_name = found->second.c_str();
  return NVRTC_SUCCESS;
}

SIMULATED_EXPORT nvrtcResult nvrtcSetFlowCallback(nvrtcProgram program,
                                                  int (*callback)(void *payload, void *reserved),
                                                  void *payload) {
  FAIL_ON_DEMAND;
  if (program == nullptr) return NVRTC_ERROR_INVALID_PROGRAM;
  program->callback = callback;
  program->payload = payload;
  return NVRTC_SUCCESS;
}

// For tests: programs that were not destroyed.
SIMULATED_EXPORT int nvrtcSimulatedLive() {
  return live_programs;
}
