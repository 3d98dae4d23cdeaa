// SPDX-License-Identifier: Apache-2.0
// nxsDescribeCompile, nxsCompileProgram and nxsLinkProgram.
#include "compile/compile_job.hpp"
#include "compile/extra_flag.hpp"
#include "compile/object_file.hpp"
#include "compile/outside_files.hpp"
#include "objects/device.hpp"

#include <nexus-api/nxs_functions.h>
#include <nexus-plugin/compile.hpp>
#include <nexus-plugin/compile_checks.hpp>
#include <nexus-plugin/error.hpp>
#include <nexus-plugin/functions.hpp>
#include <nexus-plugin/json.hpp>
#include <nexus-plugin/value.hpp>

namespace nexus_cpu NXS_HIDDEN {
namespace {

using nexus_plugin::Error;
using nexus_plugin::valid_utf8;
using nexus_plugin::words_for_error;
using nexus_plugin::write_to;

#if defined(__APPLE__)
constexpr const char *kFormat = "macho";
#else
constexpr const char *kFormat = "elf";
#endif

constexpr const char *kObjectFormat = "object";

// Makes the texts valid UTF-8, since paths may contain any bytes.
std::vector<std::string> valid_texts(std::vector<std::string> texts) {
  for (std::string &text : texts) text = valid_utf8(text);
  return texts;
}

nexus_plugin::CompileDescription description_of(const CompileRequest &request,
                                                const CompilePlan &plan) {
  const OutsideFiles outside = outside_files(request.options, request.cxx);
  return {valid_utf8(plan.compiler.name),
          valid_utf8(plan.compiler.identity),
          plan.target.name,
          valid_texts(plan.flags()),
          request.relocatable ? kObjectFormat : kFormat,
          valid_texts(outside.include_folders),
          outside.others};
}

nexus_plugin::CompileDescription describe_program(const Processor &processor,
                                                  const nexus_plugin::CompileSettings &settings) {
  const CompileRequest request = read_compile_request(settings);
  return description_of(request, plan_compile(request, processor));
}

// Removes the line break at the end.
std::string without_end(std::string words) {
  words.erase(words.find_last_not_of('\n') + 1);
  return words;
}

// Reports a refused program. Compiles an empty program to find out whether the target, the flags or
// the text is at fault.
[[noreturn]] void throw_refusal(const CompileRequest &request, const CompilePlan &plan,
                                CompileJob &job, const std::string &words) {
  const std::string &compiler = plan.compiler.name;
  if (!plan.target.native && !job.takes_nothing(plan.target.flags)) {
    throw Error(NXS_InvalidValue, "target is '", plan.target.name, "', which ", compiler,
                " does not know:\n", without_end(words_for_error(job.take_words())));
  }
  (void)job.take_words();
  if (!request.options.empty() && !job.takes_nothing()) {
    throw Error(NXS_InvalidCompilerOptions, compiler, " refuses the options:\n",
                without_end(words_for_error(job.take_words())));
  }
  throw Error(NXS_CompileProgramFailure, "'", request.name, "' could not be compiled by ", compiler,
              ":\n", without_end(words_for_error(words)));
}

void compile_program(const Processor &processor, const nexus_plugin::CompileSettings &settings,
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
  if (!taken) throw_refusal(request, plan, job, words);
  write_to(code, request.relocatable ? job.read_object() : job.read_library());
}

// Returns a request with the target and options of the pieces, without a program.
CompileRequest request_of(const nexus_plugin::LinkSettings &settings) {
  CompileRequest request{};
  request.name = "program";
  request.target = settings.target;
  request.cxx = true;  // the C++ driver links the libraries of both languages
  nexus_plugin::check_optimization(settings.optimization);
  nexus_plugin::check_compile_flags(settings.flags, true);
  for (const std::string_view option : settings.options) {
    request.options.push_back(read_extra_flag(option));
  }
  return request;
}

nexus_plugin::CompileDescription link_program(const Processor &processor,
                                              const nexus_plugin::LinkSettings &settings,
                                              const nxs_sink &code, const nxs_sink &log) {
  for (const auto &piece : settings.pieces) check_object_file(piece.code, piece.name);
  const CompileRequest request = request_of(settings);
  const CompilePlan plan = plan_link(request, processor);
  CompileJob job(request, plan);
  const bool taken = job.link(settings.pieces);
  const std::string words = job.take_words();
  write_to(log, words);
  if (!taken) {
    throw Error(NXS_LinkProgramFailure, plan.compiler.name,
                " can't make a library of the pieces:\n", without_end(words_for_error(words)));
  }
  write_to(code, job.read_library());
  return {valid_utf8(plan.compiler.name), valid_utf8(plan.compiler.identity), plan.target.name,
          valid_texts(plan.flags()), kFormat};
}

}  // namespace
}  // namespace nexus_cpu

using namespace nexus_cpu;

NEXUS_PLUGIN_COMPILE(devices, describe_program(devices.pin(device)->processor(), settings),
                     compile_program(devices.pin(device)->processor(), settings, code, log))
NEXUS_PLUGIN_LINK(devices, link_program(devices.pin(device)->processor(), settings, code, log))
