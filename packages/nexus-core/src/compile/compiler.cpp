// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "code/sink.hpp"
#include "compile/kernel_description.hpp"
#include "language/kernel_mistakes.hpp"
#include "language/kernel_text.hpp"
#include "language/source_map.hpp"
#include "object/property.hpp"
#include "registry/plugin_answer.hpp"

namespace nexus::core {
namespace {

// A program as nxs_compile_info. Borrows the program and the target.
class CompileInfo {
 public:
  CompileInfo(const Target &target, const Program &program, std::string_view source)
      : defines_(stringsOf(program.defines)),
        options_(stringsOf(program.options)),
        name_expressions_(stringsOf(program.name_expressions)) {
    for (const std::string_view path : program.include_paths) {
      folders_.push_back(std::filesystem::absolute(std::filesystem::path(path)).string());
    }
    for (const std::string &folder : folders_) {
      include_paths_.push_back(stringOf(folder));
    }
    info_.struct_size = sizeof(info_);
    info_.source = stringOf(source);
    info_.language = stringOf(program.language);
    info_.name = stringOf(program.name);
    info_.target = stringOf(target.architecture);
    info_.standard = stringOf(program.standard);
    info_.flags = program.flags;
    info_.optimization = program.optimization;
    info_.defines = defines_.data();
    info_.define_count = defines_.size();
    info_.include_paths = include_paths_.data();
    info_.include_path_count = include_paths_.size();
    info_.options = options_.data();
    info_.option_count = options_.size();
    info_.name_expressions = name_expressions_.data();
    info_.name_expression_count = name_expressions_.size();
  }
  CompileInfo(const CompileInfo &) = delete;
  CompileInfo &operator=(const CompileInfo &) = delete;

  const nxs_compile_info *get() const noexcept { return &info_; }

 private:
  std::vector<nxs_string> defines_;
  std::vector<nxs_string> options_;
  std::vector<nxs_string> name_expressions_;
  std::vector<std::string> folders_;  // absolute, since a compiler may run in another folder
  std::vector<nxs_string> include_paths_;
  nxs_compile_info info_{};
};

// "program 'saxpy.c' for cpu"
std::string titleOf(const Target &target, const Program &program) {
  return "program '" + std::string(program.name) + "' for " + target.device->plugin().name +
         (target.architecture.empty() ? "" : ":" + target.architecture);
}

bool contains(const std::vector<std::string> &words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

void requireLanguage(const Target &target, const Program &program) {
  const Device &device = *target.device;
  if (!device.plugin().has(NXS_Capability_Compile)) {
    throw Failure(NXS_NotSupported,
                  "The backend '" + device.plugin().name +
                      "' compiles nothing; load a library that was compiled before, or use the "
                      "device of another backend.");
  }
  const auto languages = device.languages();
  if (!languages) {
    return;  // the plug-in refuses an unknown language itself
  }
  if (!contains(*languages, program.language)) {
    throw Failure(NXS_NotSupported, "language is '" + std::string(program.language) +
                                        "', which the backend '" + device.plugin().name +
                                        "' does not compile; it compiles " +
                                        listWords(*languages, "none") + ".");
  }
}

// Returns the plug-in's answer to nxsDescribeCompile.
std::string describeAsText(const Target &target, const Program &program) {
  const CompileInfo info(target, program, "");
  std::vector<uint64_t> memory(512);
  nxs_value value{};
  while (true) {
    value.struct_size = sizeof(value);
    value.data = memory.data();
    value.capacity = memory.size() * sizeof(uint64_t);
    target.device->plugin().call(
        &nxs_functions::DescribeCompile,
        [&] { return "say how it compiles the " + titleOf(target, program); }, target.device->id(),
        info.get(), &value);
    if (value.size <= value.capacity) {
      return {reinterpret_cast<const char *>(memory.data()), static_cast<std::size_t>(value.size)};
    }
    memory.resize(static_cast<std::size_t>((value.size + 7) / 8));
  }
}

std::vector<std::string> foldersOf(const json::Value &answer) {
  std::vector<std::string> folders;
  const json::Value *list = answer.find("IncludeFolders");
  if (list != nullptr && list->isArray()) {
    for (const json::Value &folder : *list->array()) {
      if (folder.isString()) folders.push_back(*folder.string());
    }
  }
  return folders;
}

// Returns the log with the compiler's flags as its last line.
std::string withFlags(std::string log, const CompilePlan &plan) {
  if (!log.empty() && log.back() != '\n') log += '\n';
  log += "Flags:";
  const json::Value list = json::parse(plan.flags);
  for (const json::Value &flag : *list.array()) {
    if (flag.isString()) log += " " + *flag.string();
  }
  return log + "\n";
}

// " with clang 19", or empty.
std::string withCompiler(const CompilePlan &plan) {
  const json::Value answer = json::parse(plan.json);
  const json::Value *name = answer.find("Compiler");
  return name != nullptr && name->isString() ? " with " + *name->string() : std::string();
}

// Returns the errors of the program with their places: in the portable language's own words, or,
// for other languages, as their compilers report them.
std::string explanation(const Program &program, const ProgramSource &source,
                        const std::string &words) {
  std::string mistakes =
      program.isPortable() ? mistakesIn(SourceMap(source.userText()), words) : "";
  return mistakes.empty() ? clippedLog(words) : mistakes;
}

[[noreturn]] void refuseProgram(const Failure &failure, const Target &target,
                                const Program &program, const ProgramSource &source,
                                const CompilePlan &plan, std::string log) {
  std::string words = explanation(program, source, utf8Of(log.empty() ? failure.text() : log));
  if (!words.empty() && words.back() == '\n') words.pop_back();
  throw Failure(
      NXS_CompileProgramFailure,
      "The " + titleOf(target, program) + " does not compile" + withCompiler(plan) + ".\n" + words,
      failure.nativeCode(), failure.backend())
      .withLog(withFlags(std::move(log), plan));
}

// Refuses, before compiling, code that only some compilers accept.
void requirePortable(const Target &target, const Program &program, const ProgramSource &source,
                     const CompilePlan &plan) {
  const SourceMap map(source.userText());
  std::string mistakes;
  for (const Finding &finding : unportableParts(map, program.defines)) {
    mistakes += map.show(finding.at, finding.words);
  }
  if (mistakes.empty()) {
    return;
  }
  std::string log = withFlags(mistakes, plan);
  mistakes.pop_back();
  throw Failure(NXS_CompileProgramFailure,
                "The " + titleOf(target, program) + " does not compile.\n" + mistakes, 0,
                target.device->plugin().name)
      .withLog(std::move(log));
}

}  // namespace

CompilePlan planOf(const Target &target, const Program &program) {
  requireLanguage(target, program);
  CompilePlan plan;
  plan.json = describeAsText(target, program);
  const PluginAnswer from{target.device->plugin().name, "nxsDescribeCompile"};
  const json::Value answer = parseAnswer(plan.json, from);
  plan.target = textOf(answer, "Target", from);
  plan.flags = listOf(answer, "Flags", from);
  plan.format = textOf(answer, "Format", from);
  textOf(answer, "Identity", from);  // checks it, since the cache key needs it
  plan.include_folders = foldersOf(answer);
  const json::Value *others = answer.find("ReadsOtherFiles");
  plan.reads_other_files = others != nullptr && others->isBool() && *others->boolean();
  return plan;
}

CodeContents compileSource(const Target &target, const Program &program,
                           const ProgramSource &source, const CompilePlan &plan) {
  if (program.isPortable()) requirePortable(target, program, source, plan);
  const CompileInfo info(target, program, source.text);
  Collector code;
  Collector log;
  const Interruptible call;
  try {
    target.device->plugin().call(
        &nxs_functions::CompileProgram, [&] { return "compile the " + titleOf(target, program); },
        target.device->id(), info.get(), code.sink(), log.sink());
  } catch (const Failure &failure) {
    call.check();
    if (failure.status() != NXS_CompileProgramFailure) {
      throw failure.withLog(utf8Of(log.take()));
    }
    refuseProgram(failure, target, program, source, plan, utf8Of(log.take()));
  }
  call.check();
  CodeContents contents;
  contents.name = program.name;
  contents.runtime = target.device->plugin().name;
  contents.target = plan.target;
  contents.format = plan.format;
  contents.code = code.take();
  contents.log = utf8Of(log.take());
  contents.flags = plan.flags;
  if (!program.isRelocatable()) {  // relocatable code can't be loaded, and may have no kernel
    contents.kernels = describeKernels(target, program, contents.code);
  }
  return contents;
}

}  // namespace nexus::core
