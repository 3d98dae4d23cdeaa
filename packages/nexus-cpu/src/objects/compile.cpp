// SPDX-License-Identifier: Apache-2.0
// nxsDescribeCompile, nxsCompileProgram and nxsLinkProgram.
#include "compile/compile_job.hpp"
#include "objects/device.hpp"

#include <nexus-api/nxs_functions.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <nexus-plugin/base/functions.hpp>
#include <nexus-plugin/base/json.hpp>
#include <nexus-plugin/compile/compile_checks.hpp>

namespace nexus_cpu NXS_HIDDEN {

using namespace nexus_plugin;

namespace {

#if defined(__APPLE__)
constexpr const char *kFormat = "macho";
constexpr std::string_view kObjectMagic = "\xcf\xfa\xed\xfe";
constexpr std::size_t kKindAt = 12;
using ObjectKind = uint32_t;
#else
constexpr const char *kFormat = "elf";
constexpr std::string_view kObjectMagic = "\177ELF";
constexpr std::size_t kKindAt = 16;
using ObjectKind = uint16_t;
#endif

// Throws NXS_InvalidBinary if a piece to be linked is not an object file of this system.
void check_object_file(std::string_view bytes, std::string_view name) {
  constexpr ObjectKind kObject = 1;
  ObjectKind kind{};
  if (bytes.starts_with(kObjectMagic) && bytes.size() >= kKindAt + sizeof(kind)) {
    std::memcpy(&kind, bytes.data() + kKindAt, sizeof(kind));
  }
  if (kind == kObject) return;
  throw Error(NXS_InvalidBinary, "'", name,
              "' is not an object file; compile it with relocatable=True, or give the bytes of an "
              "object file (.o)");
}

void append_folders(Words &out, const char *variable) {
  const char *list = std::getenv(variable);
  if (list == nullptr || *list == '\0') return;
  for (const std::string &folder : folders_in(list)) out.push_back(valid_utf8(folder));
}

// Guesses whether a flag names a file: one with a slash does.
bool names_file(std::string_view flag) {
  return flag.find('/') != std::string_view::npos ||
         is_flag_in(
             "-L* -F* -i* -fprofile-use* -fprofile-instr-use* -fbranch-probabilities* "
             "-fauto-profile*",
             flag);
}

// Adds the files that a compiler reads besides the program's text and its own installation: those
// named by a user's flags and by the environment.
void add_outside_files(const CompileRequest &request, CompileDescription &out) {
  for (const std::string_view flag : request.options) {
    std::optional<std::string_view> folder;
    for (const std::string_view begin : {"-I", "-isystem", "-iquote", "-idirafter"}) {
      if (!folder && flag.starts_with(begin)) folder = flag.substr(begin.size());
    }
    if (folder && !folder->starts_with('=')) {
      out.include_folders.push_back(valid_utf8(*folder));
    } else {
      out.reads_other_files = out.reads_other_files || names_file(flag);
    }
  }
  append_folders(out.include_folders, "CPATH");
  append_folders(out.include_folders, request.cxx ? "CPLUS_INCLUDE_PATH" : "C_INCLUDE_PATH");
}

// The texts become valid UTF-8, since paths may contain any bytes.
CompileDescription description_of(const CompileRequest &request, const CompilePlan &plan) {
  Words flags = plan.flags();
  for (std::string &flag : flags) flag = valid_utf8(flag);
  return {valid_utf8(plan.compiler.name), valid_utf8(plan.compiler.identity), plan.target.name,
          std::move(flags), request.relocatable ? "object" : kFormat};
}

CompileDescription describe_program(const Processor &processor, const CompileSettings &settings) {
  const CompileRequest request = read_compile_request(settings);
  auto description = description_of(request, plan_compile(request, processor));
  add_outside_files(request, description);
  return description;
}

// Returns a compiler's output for the end of an error's text.
std::string at_end(const std::string &words) {
  std::string out = words_for_error(words);
  out.erase(out.find_last_not_of('\n') + 1);
  return out;
}

// Returns the compiler's errors, without the list of a hundred processors that follows them.
std::string only_errors(const std::string &words) {
  std::string out;
  for (const std::string &line : split(words, '\n')) {
    if (line.find("error: ") != line.npos) out += line + "\n";
  }
  return at_end(out.empty() ? words : out);
}

// Reports a refused program. Compiles an empty program to find out whether the target, the flags or
// the text is at fault.
[[noreturn]] void throw_refusal(const Processor &processor, const CompileRequest &request,
                                const CompilePlan &plan, CompileJob &job,
                                const std::string &words) {
  const std::string &compiler = plan.compiler.name;
  if (!plan.target.native && !job.takes_nothing(plan.target.flags)) {
    throw Error(NXS_InvalidValue, "target is '", plan.target.name, "', which ", compiler,
                " does not know; give a processor or level of this machine's family, such as '",
                processor.level, "':\n", only_errors(job.take_words()));
  }
  (void)job.take_words();
  if (!request.options.empty() && !job.takes_nothing()) {
    throw Error(NXS_InvalidCompilerOptions, compiler, " refuses the options:\n",
                at_end(job.take_words()));
  }
  throw Error(NXS_CompileProgramFailure, "'", request.name, "' could not be compiled by ", compiler,
              ":\n", at_end(words));
}

void compile_program(const Processor &processor, const CompileSettings &settings,
                     const nxs_sink &code, const nxs_sink &log) {
  const CompileRequest request = read_compile_request(settings);
  const CompilePlan plan = plan_compile(request, processor);
  CompileJob job(request, plan);
  const bool taken = [&] {
    try {
      return job.compile();
    } catch (const Error &) {
      write_to(log, job.take_words());
      throw;
    }
  }();
  const std::string words = job.take_words();
  write_to(log, taken || !words.empty() ? words : plan.compiler.name + " says nothing of why.\n");
  if (!taken) throw_refusal(processor, request, plan, job, words);
  write_to(code, request.relocatable ? job.read_object() : job.read_library());
}

CompileDescription link_program(const Processor &processor, const LinkSettings &settings,
                                const nxs_sink &code, const nxs_sink &log) {
  for (const auto &piece : settings.pieces) check_object_file(piece.code, piece.name);
  const CompileRequest request = read_link_request(settings);
  const CompilePlan plan = plan_link(request, processor);
  CompileJob job(request, plan);
  const bool taken = job.link(settings.pieces);
  const std::string words = job.take_words();
  write_to(log, words);
  if (!taken) {
    throw Error(NXS_LinkProgramFailure, plan.compiler.name,
                " can't make a library of the pieces:\n", at_end(words));
  }
  write_to(code, job.read_library());
  return description_of(request, plan);
}

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_COMPILE(devices, describe_program(devices.pin(device)->processor(), settings),
                     compile_program(devices.pin(device)->processor(), settings, code, log))
NEXUS_PLUGIN_LINK(devices, link_program(devices.pin(device)->processor(), settings, code, log))
