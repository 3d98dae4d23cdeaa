// SPDX-License-Identifier: Apache-2.0
//
// Programs compiled by hipRTC in a process of its own: the simulated one, or a real one whose
// folder is in LD_LIBRARY_PATH.
#include "check.hpp"
#include "compile/code_object.hpp"
#include "compile/hiprtc.hpp"

#include <cstdlib>
#include <fstream>
#include <nexus-plugin/kernel/name_table.hpp>

using namespace nexus_hip;
using nexus_plugin::CompileSettings;
using nexus_plugin::Error;

namespace {

struct Sink {
  std::string text;
  nxs_sink to() {
    nxs_sink made{};
    made.context = this;
    made.write = [](void *context, const void *bytes, uint64_t size) {
      static_cast<Sink *>(context)->text.append(static_cast<const char *>(bytes), size);
    };
    return made;
  }
};

CompileSettings settings_of(std::string_view source) {
  CompileSettings settings;
  settings.source = source;
  settings.language = "hip";
  settings.name = "mine.hip";
  settings.optimization = 3;
  return settings;
}

CompileRequest request_of(const CompileSettings &settings) {
  return read_compile_request("gfx90a:sramecc+:xnack-", settings);
}

std::string compiled(const CompileSettings &settings, std::string *words = nullptr) {
  Sink code, log;
  compile_with_hiprtc(request_of(settings), code.to(), log.to());
  if (words != nullptr) *words = log.text;
  return code.text;
}

struct Refusal {
  nxs_status status = NXS_Success;
  int64_t native = 0;
  std::string words = "taken";
};
Refusal refusal_of(const CompileSettings &settings) {
  try {
    (void)compiled(settings);
  } catch (const Error &error) {
    return {error.status(), error.native_code(), error.what()};
  }
  return {};
}

bool says(const Refusal &refusal, nxs_status status, const std::string &part) {
  const bool well = refusal.status == status && refusal.words.find(part) != std::string::npos;
  if (!well) std::fprintf(stderr, "status %d: %s\n", refusal.status, refusal.words.c_str());
  return well;
}

// A header of ours with those that it includes in their places, as libnexus puts it before
// programs.
std::string flattened(const std::string &name) {
  std::ifstream file(NEXUS_INCLUDE "/" + name);
  std::string text;
  for (std::string line; std::getline(file, line);) {
    const std::size_t open = line.find('"'), close = line.rfind('"');
    if (!line.starts_with("#include \"")) {
      text += line + "\n";
      continue;
    }
    const std::string folder = name.substr(0, name.rfind('/') + 1);
    text += flattened(folder + line.substr(open + 1, close - open - 1));
  }
  return text;
}

bool simulated() {
  return describe_hiprtc(request_of(settings_of(""))).compiler == "hipRTC (libhiprtc.so.6)";
}

constexpr std::string_view kSaxpy =
    "extern \"C\" __global__ void saxpy(float a, const float *x, float *y, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) y[i] = a * x[i] + y[i];\n"
    "}\n";

}  // namespace

// First: what was found once is not looked for again.
TEST(where_there_is_no_hiprtc_the_error_says_how_to_get_it) {
  const char *const folder = std::getenv("LD_LIBRARY_PATH");
  const std::string before = folder == nullptr ? "" : folder;
  unsetenv("LD_LIBRARY_PATH");
  const Refusal refusal = refusal_of(settings_of(kSaxpy));
  setenv("LD_LIBRARY_PATH", before.c_str(), 1);
  if (refusal.words == "taken") return;  // ROCm is installed here
  CHECK(says(refusal, NXS_CompilerNotAvailable, "there is no hipRTC here: "));
  CHECK(says(refusal, NXS_CompilerNotAvailable, "install ROCm's hipRTC, or set NEXUS_HIP_HIPRTC"));
}

TEST(a_compilation_is_described_without_being_done) {
  CompileSettings settings = settings_of(kSaxpy);
  settings.flags = NXS_CompileFlags_FastMath | NXS_CompileFlags_LineInfo;
  settings.defines = {"N=1"};
  settings.include_paths = {"/somewhere"};
  settings.options = {"-fno-inline"};
  settings.optimization = 0;
  const nexus_plugin::CompileDescription told = describe_hiprtc(request_of(settings));
  CHECK(told.compiler.starts_with("hipRTC (lib"));
  CHECK(told.identity.find(" bytes at ") != std::string::npos);
  CHECK_EQUAL(std::string("gfx90a:sramecc+:xnack-"), told.target);
  CHECK_EQUAL(std::string("hsaco"), told.format);
  CHECK_EQUAL(std::string("The flags were: --offload-arch=gfx90a:sramecc+:xnack- -std=c++17 -O1 "
                          "-ffast-math -gline-tables-only -DN=1 -I/somewhere -fno-inline"),
              nexus_plugin::flags_line(told.flags));
}

TEST(a_program_becomes_a_code_object) {
  const TargetId device = read_target_id("gfx90a:sramecc+:xnack-").value();
  const std::string code = compiled(settings_of(kSaxpy));
  const CodeObject object = read_code_object(code, device);
  CHECK_EQUAL(device.name(), object.target.name());
  CHECK_EQUAL(std::size_t{1}, object.kernels.size());
  const CodeKernel &saxpy = object.kernels.at(0);
  CHECK_EQUAL(std::string("saxpy"), saxpy.name);
  CHECK_EQUAL(std::size_t{4}, saxpy.arguments.size());
  CHECK_EQUAL(uint64_t{8}, saxpy.arguments.at(1).offset);
  refuse_host_calls(saxpy);
}

TEST(kernels_of_the_portable_language_describe_themselves) {
  const std::string program =
      flattened("nexus_kernel.h") +
      "NEXUS_KERNEL(turn, (NEXUS_GLOBAL float *, data), (NEXUS_LOCAL float *, room), (int, n)) {\n"
      "  int i = nexus_local_id(0);\n"
      "  room[i] = nexus_sin(data[i]);\n"
      "  nexus_barrier();\n"
      "  if (nexus_global_id(0) < n) data[i] = room[n - 1 - i];\n"
      "}\n";
  CompileSettings settings = settings_of(program);
  settings.language = "nexus";
  settings.target = "gfx942";
  if (!simulated()) settings.target = "gfx1030";  // that of HIP 5.2.3 knows no newer one
  const CodeObject object =
      read_code_object(compiled(settings), read_target_id(settings.target).value());
  const auto &turn = object.kernels.at(0).description.value();
  CHECK_EQUAL(std::string("room"), turn.arguments.at(1).name);
  CHECK_EQUAL(int{NXS_ArgumentKind_LocalMemory}, int{turn.arguments.at(1).kind});
}

TEST(messages_have_the_programs_file_and_line) {
  std::string words;
  const Refusal refusal = refusal_of(settings_of("// one\n__global__ void k() { int i = j; }\n"));
  CHECK(says(refusal, NXS_CompileProgramFailure, "'mine.hip' could not be compiled by hipRTC ("));
  CHECK(says(refusal, NXS_CompileProgramFailure, "mine.hip:2:"));
  CHECK(says(refusal, NXS_CompileProgramFailure, "The flags were: --offload-arch=gfx90a"));
  CHECK_EQUAL(int64_t{6}, refusal.native);
}

TEST(kernels_of_templates_are_found_by_their_expressions) {
  CompileSettings settings =
      settings_of("template <class T> __global__ void scale(T *x) { x[0] *= 2; }\n");
  settings.name_expressions = {"scale<float>", "scale<int>"};
  const std::string code = compiled(settings);
  const nexus_plugin::NamedCode named = nexus_plugin::split_names(code);
  CHECK_EQUAL(std::size_t{2}, named.names.size());
  CHECK_EQUAL(std::string("_Z5scaleIfEvPT_"), named.names.at("scale<float>"));
  const CodeObject object =
      read_code_object(named.code, read_target_id("gfx90a:sramecc+:xnack-").value());
  CHECK_EQUAL(std::size_t{2}, object.kernels.size());
}

TEST(a_hiprtc_that_ends_its_process_is_an_error_in_words) {
  CompileSettings settings = settings_of(kSaxpy);
  settings.target = "gfx9999";
  const Refusal refusal = refusal_of(settings);
  CHECK(says(refusal, NXS_CompilerNotAvailable,
             ") died of signal 6 (Aborted) when it compiled "
             "'mine.hip' for gfx9999; it may be older than"));
}

TEST(what_hiprtc_returns_is_told_with_its_function) {
  if (!simulated()) return;
  for (const auto &[plan, status, part] :
       {std::tuple("hiprtcCreateProgram:1", NXS_OutOfHostMemory,
                   "has no memory left for 'mine.hip'"),
        std::tuple("hiprtcCompileProgram:5", NXS_InvalidCompilerOptions, "refuses the options"),
        std::tuple("hiprtcGetCode:11", NXS_CompilerNotAvailable,
                   "failed on 'mine.hip': hiprtcGetCode returned 11 (hiprtcResult)")}) {
    setenv("NEXUS_SIMULATED_HIPRTC_FAIL", plan, 1);
    CHECK(says(refusal_of(settings_of(kSaxpy)), status, part));
  }
  unsetenv("NEXUS_SIMULATED_HIPRTC_FAIL");
}

TEST(requests_are_checked) {
  CompileSettings settings = settings_of("");
  settings.language = "cuda";
  CHECK(says(refusal_of(settings), NXS_NotSupported, "HIP compiles 'nexus', 'hip'"));
  settings = settings_of("");
  settings.target = "sm_90";
  CHECK(says(refusal_of(settings), NXS_InvalidValue,
             "target is 'sm_90'; give 'gfx90a:sramecc+:xnack-', or another"));
  settings = settings_of("");
  settings.standard = "c++98";
  CHECK(says(refusal_of(settings), NXS_InvalidCompilerOptions, "standard is 'c++98'; for HIP"));
  settings = settings_of("");
  settings.flags = NXS_CompileFlags_Relocatable;
  CHECK(says(refusal_of(settings), NXS_InvalidCompilerOptions, "links no programs"));
  for (const auto &[flag, why] :
       {std::pair("--offload-arch=gfx900", "as the target"),
        std::pair("-o x", "the kind of output"), std::pair("-Ifolder", "as include_paths"),
        std::pair("-std=c++20", "as the standard"), std::pair("-include x", "other files"),
        std::pair("x", "begins with '-'")}) {
    settings = settings_of("");
    settings.options = {flag};
    CHECK(says(refusal_of(settings), NXS_InvalidCompilerOptions, why));
  }
}
