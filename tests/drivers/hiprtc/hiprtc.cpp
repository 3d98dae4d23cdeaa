// SPDX-License-Identifier: Apache-2.0
//
// A compiler for the simulated HIP runtime, with the functions of hipRTC. Names and numbers are
// those of hip/hiprtc.h of HIP 5.2.3. Like that one it ends the process where it does not know an
// architecture.
#include "../kernels/code_object.hpp"
#include "../kernels/host_compiler.hpp"
#include "../kernels/planned_failure.hpp"

#include <cstdlib>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

// At the beginning of a function: it fails on demand.
#define FAIL_ON_DEMAND                                                                 \
  if (const int planned =                                                              \
          simulated_kernels::planned_failure("NEXUS_SIMULATED_HIPRTC_FAIL", __func__)) \
  return static_cast<hiprtcResult>(planned)
#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

using simulated_kernels::AmdTarget;

enum hiprtcResult : int32_t {
  HIPRTC_SUCCESS = 0,
  HIPRTC_ERROR_INVALID_INPUT = 3,
  HIPRTC_ERROR_INVALID_PROGRAM = 4,
  HIPRTC_ERROR_INVALID_OPTION = 5,
  HIPRTC_ERROR_COMPILATION = 6,
  HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
  HIPRTC_ERROR_INTERNAL_ERROR = 11,
};

struct _hiprtcProgram {
  simulated_kernels::Program program;
  simulated_kernels::Compiled compiled;
  std::string code, log;
};
using hiprtcProgram = _hiprtcProgram *;

namespace {

// EF_AMDGPU_MACH of LLVM, with both features left open on those that have them.
const AmdTarget kTargets[] = {{"gfx90a", 0x53f, 64}, {"gfx942", 0x54c, 64}, {"gfx1100", 0x41, 32}};

// As clang takes it; the keywords that only clang knows become CUDA's.
std::string for_host(std::string text) {
  constexpr const char *kWords[][2] = {
      {"__attribute__((device))", "__device__"},
      {"__attribute__((global))", "__global__"},
      {"__attribute__((shared))", "__shared__"},
      {"__attribute__((constant))", "__constant__"},
      {"__attribute__((amdgpu_flat_work_group_size(count, count)))", "__launch_bounds__(count)"}};
  for (const auto &[word, with] : kWords) {
    for (size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
      text.replace(at, std::strlen(word), with);
    }
  }
  return text;
}

// Returns NULL if it is not known.
const AmdTarget *find_target(const std::string &name) {
  for (const AmdTarget &each : kTargets) {
    if (each.name == name.substr(0, name.find(':'))) return &each;
  }
  return nullptr;
}

hiprtcResult compile(_hiprtcProgram &program, int count, const char *const *options) {
  AmdTarget target{};
  for (int i = 0; i < count; ++i) {
    const std::string option = options[i];
    if (option.starts_with("--offload-arch=")) {
      target.name = option.substr(option.find('=') + 1);
    } else if (option.starts_with("-D") || option.starts_with("-U") || option.starts_with("-I")) {
      program.program.options.push_back(option);
    } else if (option.find("no-such-") != std::string::npos) {
      program.log = "error: unknown argument: '" + option + "'\n";
      return HIPRTC_ERROR_COMPILATION;
    }
  }
  const AmdTarget *const known = find_target(target.name);
  if (known == nullptr) std::abort();
  target.flags = known->flags;
  target.wave_size = known->wave_size;
  program.compiled = simulated_kernels::compile(program.program);
  program.log = program.compiled.log;
  if (!program.compiled.well) {
    program.log += "1 error generated when compiling for " + target.name + ".\n";
    return HIPRTC_ERROR_COMPILATION;
  }
  program.code =
      simulated_kernels::code_object_of(program.compiled.kernels, program.compiled.object, target);
  return HIPRTC_SUCCESS;
}

}  // namespace

SIMULATED_EXPORT hiprtcResult hiprtcCreateProgram(hiprtcProgram *out_program, const char *source,
                                                  const char *name, int, const char *const *,
                                                  const char *const *) {
  FAIL_ON_DEMAND;
  if (out_program == nullptr || source == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  auto *const made = new _hiprtcProgram;
  made->program.source = for_host(source);
  made->program.name = name == nullptr ? "" : name;
  made->program.form = simulated_kernels::Form::hip;
  *out_program = made;
  return HIPRTC_SUCCESS;
}

SIMULATED_EXPORT hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program) {
  FAIL_ON_DEMAND;
  delete std::exchange(*program, nullptr);
  return HIPRTC_SUCCESS;
}

SIMULATED_EXPORT hiprtcResult hiprtcAddNameExpression(hiprtcProgram program,
                                                      const char *expression) {
  FAIL_ON_DEMAND;
  if (program == nullptr || expression == nullptr) return HIPRTC_ERROR_INVALID_INPUT;
  program->program.expressions.emplace_back(expression);
  return HIPRTC_SUCCESS;
}

SIMULATED_EXPORT hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int count,
                                                   const char *const *options) {
  FAIL_ON_DEMAND;
  if (program == nullptr) return HIPRTC_ERROR_INVALID_PROGRAM;
  try {
    return compile(*program, count, options);
  } catch (const std::exception &error) {
    program->log = error.what();
    return HIPRTC_ERROR_INTERNAL_ERROR;
  }
}

#define SIMULATED_RESULT(name, member)                                                      \
  SIMULATED_EXPORT hiprtcResult hiprtcGet##name##Size(hiprtcProgram program, size_t *out) { \
    FAIL_ON_DEMAND;                                                                         \
    if (program == nullptr || out == nullptr) return HIPRTC_ERROR_INVALID_INPUT;            \
    *out = program->member.size();                                                          \
    return HIPRTC_SUCCESS;                                                                  \
  }                                                                                         \
  SIMULATED_EXPORT hiprtcResult hiprtcGet##name(hiprtcProgram program, char *out) {         \
    FAIL_ON_DEMAND;                                                                         \
    if (program == nullptr || out == nullptr) return HIPRTC_ERROR_INVALID_INPUT;            \
    std::memcpy(out, program->member.data(), program->member.size());                       \
    return HIPRTC_SUCCESS;                                                                  \
  }
SIMULATED_RESULT(ProgramLog, log)
SIMULATED_RESULT(Code, code)

SIMULATED_EXPORT hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char *expression,
                                                   const char **out_name) {
  FAIL_ON_DEMAND;
  if (program == nullptr || expression == nullptr || out_name == nullptr) {
    return HIPRTC_ERROR_INVALID_INPUT;
  }
  const auto found = program->compiled.lowered.find(expression);
  if (found == program->compiled.lowered.end()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
  *out_name = found->second.c_str();
  return HIPRTC_SUCCESS;
}
