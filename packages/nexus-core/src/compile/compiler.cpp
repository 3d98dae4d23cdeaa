// SPDX-License-Identifier: Apache-2.0
#include "compile/compiler.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/data_type.hpp"
#include "base/error.hpp"
#include "base/sink.hpp"
#include "base/text.hpp"
#include "base/wait.hpp"
#include "execution/kernel.hpp"
#include "language/diagnostic.hpp"
#include "language/kernel_mistakes.hpp"
#include "language/kernel_text.hpp"
#include "language/source_map.hpp"
#include "object/property.hpp"

namespace nexus::core {

namespace {

// The origin of an answer, for errors.
struct PluginAnswer {
  std::string backend;
  const char *function;  // "nxsDescribeCompile"
};

constexpr std::size_t kMaxLog = 16384;  // bytes of a compiler's log in an error's text

[[noreturn]] void refuseAnswer(const PluginAnswer &from, const std::string &how) {
  failWith(NXS_InternalError, "The backend '", from.backend, "' answers ", from.function, " ", how,
           "; report this to its author.");
}

const json::Value &memberOf(const json::Value &answer, const char *member,
                            const PluginAnswer &from) {
  const json::Value *value = answer.find(member);
  if (value == nullptr || !(value->isString() || value->isArray())) {
    refuseAnswer(from, join("without '", member, "'"));
  }
  return *value;
}

// Parses an answer. Throws NXS_InternalError, with the backend and the function, if the answer
// violates the C-API.
json::Value parseAnswer(std::string_view text, const PluginAnswer &from) {
  try {
    return json::parse(text);
  } catch (const json::ParseError &error) {
    refuseAnswer(from, join("with text that is not JSON (", error.what(), ")"));
  }
}

std::string textOf(const json::Value &answer, const char *member, const PluginAnswer &from) {
  const json::Value &value = memberOf(answer, member, from);
  return value.isString() ? *value.string() : json::write(value);
}

// Returns a list of texts, as JSON.
std::string jsonListOf(const json::Value &answer, const char *member, const PluginAnswer &from) {
  const json::Value &value = memberOf(answer, member, from);
  if (!value.isArray()) {
    refuseAnswer(from, join("with '", member, "' that is not a list"));
  }
  return json::write(value);
}

// Returns text with '?' for bytes that are not UTF-8, since a compiler may print any bytes.
std::string utf8Of(std::string text) {
  for (std::size_t good = 0; good < text.size(); ++good) {
    good += utf8Prefix(std::string_view(text).substr(good));
    if (good < text.size()) text[good] = '?';
  }
  return text;
}

// Returns the start of a compiler's log for an error's text; the error's log has all of it.
std::string clippedLog(std::string_view log) {
  if (log.size() <= kMaxLog) return std::string(log);
  const std::string_view begin = log.substr(0, kMaxLog);
  return std::string(begin.substr(0, utf8Prefix(begin))) + "\n... (the log has all of it)\n";
}

// Returns the texts as strings of the C-API, which borrow them.
std::vector<nxs_string> stringsOf(const std::vector<std::string_view> &texts) {
  std::vector<nxs_string> strings(texts.size());
  std::transform(texts.begin(), texts.end(), strings.begin(), stringOf);
  return strings;
}

const char *kindName(nxs_argument_kind kind) {
  switch (kind) {
#define NEXUS_KIND_CASE(name, number) \
  case number:                        \
    return #name;
    NXS_FOR_EACH_ArgumentKind(NEXUS_KIND_CASE)
#undef NEXUS_KIND_CASE
        default : return "Unknown";
  }
}

json::Value argumentsOf(const std::vector<ArgumentInfo> &arguments) {
  json::Value::Array list;
  for (const ArgumentInfo &argument : arguments) {
    const char *type = dataTypeName(argument.data_type);
    json::Value entry;
    entry.set("name", json::Value(argument.name));
    entry.set("kind", json::Value(kindName(argument.kind)));
    entry.set("dtype", json::Value(type == nullptr ? "undefined" : type));
    entry.set("type", json::Value(argument.type));
    entry.set("size", json::Value(argument.size));
    list.push_back(std::move(entry));
  }
  return json::Value(std::move(list));
}

void copyProperty(json::Value &entry, const char *name, Kernel &kernel, nxs_property number) {
  if (const std::optional<json::Value> value = kernel.property({}, number)) {
    entry.set(name, *value);
  }
}

json::Value kernelOf(Library &library, const std::string &name) {
  const Ref<Kernel> kernel = make<Kernel>(library, name);
  json::Value entry;
  entry.set("name", json::Value(name));
  if (kernel->info().arguments) {
    entry.set("arguments", argumentsOf(*kernel->info().arguments));
  }
  copyProperty(entry, "required_group_size", *kernel, NP_RequiredGroupSize);
  copyProperty(entry, "local_memory", *kernel, NP_LocalMemorySize);
  copyProperty(entry, "max_group_size", *kernel, NP_MaxThreadsPerBlock);
  copyProperty(entry, "registers", *kernel, NP_RegistersPerThread);
  copyProperty(entry, "private_memory", *kernel, NP_PrivateMemorySize);
  copyProperty(entry, "constant_memory", *kernel, NP_ConstantMemorySize);
  copyProperty(entry, "required_cluster_size", *kernel, NP_RequiredClusterSize);
  return entry;
}

// Returns nothing if the code is for another architecture and can't be loaded here.
std::optional<Ref<Library>> loadToLook(const Target &target, const Program &program,
                                       std::string_view code) {
  Device &device = *target.device;
  nxs_id id = 0;
  try {
    device.plugin().call(
        &nxs_functions::CreateLibrary,
        [&] { return "load what it compiled of the program '" + std::string(program.name) + "'"; },
        device.id(), code.data(), uint64_t{code.size()}, &id);
  } catch (const Failure &failure) {
    if (!target.architecture.empty() && failure.status() == NXS_InvalidBinary) return std::nullopt;
    throw;
  }
  return make<Library>(device, id, std::string(), nullptr);
}

// Loads the code temporarily on the target's device and returns the JSON list of
// nexus_object_code_info. Empty if the code's architecture can't be loaded here. Throws
// NXS_InvalidProgram if there is no kernel, and the status of nxsCreateLibrary.
std::string describeKernels(const Target &target, const Program &program, std::string_view code) {
  const std::optional<Ref<Library>> library = loadToLook(target, program, code);
  if (!library) return {};
  const std::optional<json::Value> names = (*library)->property({}, NP_KernelNames);
  if (!names || !names->isArray()) return {};
  if (names->array()->empty()) {
    const std::string how = program.isPortable()
                                ? "begin one with NEXUS_KERNEL(name, (type, parameter), ...)."
                                : "a kernel is a function that is not static.";
    failWith(NXS_InvalidProgram, "The program '", program.name, "' has no kernel; ", how);
  }
  json::Value::Array kernels;
  for (const json::Value &name : *names->array()) {
    kernels.push_back(kernelOf(**library, *name.string()));
  }
  return json::write(json::Value(std::move(kernels)));
}

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

void requireLanguage(const Target &target, const Program &program) {
  const Device &device = *target.device;
  if (!device.plugin().has(NXS_Capability_Compile)) {
    failWith(NXS_NotSupported, "The backend '", device.plugin().name,
             "' has no compiler; load a compiled library, or use another backend's device.");
  }
  const auto languages = device.languages();
  if (!languages) {
    return;  // the plug-in refuses an unknown language itself
  }
  if (!contains(*languages, program.language)) {
    failWith(NXS_NotSupported, "language is '", program.language, "', which the backend '",
             device.plugin().name, "' does not compile; it compiles ",
             listWords(*languages, "none"), ".");
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
  const std::string *name = answer.text("Compiler");
  return name == nullptr ? std::string() : " with " + *name;
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
      join("The ", titleOf(target, program), " does not compile", withCompiler(plan), ".\n", words),
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
  if (mistakes.empty()) return;
  std::string log = withFlags(mistakes, plan);
  mistakes.pop_back();
  throw Failure(NXS_CompileProgramFailure,
                join("The ", titleOf(target, program), " does not compile.\n", mistakes), 0,
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
  plan.flags = jsonListOf(answer, "Flags", from);
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
  const auto take_log = [&] { return withSourceLines(utf8Of(log.take()), source.text); };
  const Interruptible call;
  try {
    target.device->plugin().call(
        &nxs_functions::CompileProgram, [&] { return "compile the " + titleOf(target, program); },
        target.device->id(), info.get(), code.sink(), log.sink());
  } catch (const Failure &failure) {
    call.check();
    if (failure.status() != NXS_CompileProgramFailure) {
      throw failure.withLog(take_log());
    }
    refuseProgram(failure, target, program, source, plan, take_log());
  }
  call.check();
  CodeContents contents;
  contents.name = program.name;
  contents.runtime = target.device->plugin().name;
  contents.target = plan.target;
  contents.format = plan.format;
  contents.code = code.take();
  contents.log = take_log();
  contents.flags = plan.flags;
  if (!program.isRelocatable()) {  // relocatable code can't be loaded, and may have no kernel
    contents.kernels = describeKernels(target, program, contents.code);
  }
  return contents;
}

namespace {

[[noreturn]] void refusePieces(const Failure &failure, const Target &target, const Program &request,
                               std::string log) {
  std::string words = clippedLog(log.empty() ? failure.text() : log);
  words.erase(words.find_last_not_of('\n') + 1);
  const std::string text = "The " + titleOf(target, request) + " can't be linked.\n" + words;
  throw Failure(NXS_LinkProgramFailure, text, failure.nativeCode(), failure.backend())
      .withLog(std::move(log));
}

// Returns the name and the options of a request to link, with defaults filled in, after a check of
// all of it. Throws NXS_InvalidValue.
Program linkRequestOf(const nexus_link_info *info) {
  requireWhole(info, "info", "nexus_link_info");
  if (info->code_count == 0) {
    failWith(NXS_InvalidValue, "codes is empty; give at least one object code.");
  }
  requirePointer(info->codes, "codes");
  for (uint64_t i = 0; i < info->code_count; ++i) {
    requirePointer(info->codes[i].data, "codes[" + std::to_string(i) + "].data");
  }
  listOfTexts(info->names, info->code_count, "names");
  Program request;
  request.name = viewOf(info->name, "name");
  request.options = listOfTexts(info->options, info->option_count, "options");
  if (request.name.empty()) {
    request.name = "program";
  }
  requireProgramName(request.name);
  requireCodeFlags(info->flags, info->reserved, info->optimization);
  return request;
}

// Links the pieces of a checked request. Throws NXS_LinkProgramFailure, with the log,
// NXS_InvalidProgram if the result has no kernel, and the status of nxsLinkProgram.
CodeContents linkCode(const Target &target, const Program &request, const nexus_link_info &pieces) {
  nxs_link_info info{};
  info.struct_size = sizeof(info);
  info.codes = pieces.codes;
  info.names = pieces.names;
  info.code_count = pieces.code_count;
  info.target = stringOf(target.architecture);
  info.flags = pieces.flags;
  info.optimization = pieces.optimization;
  info.options = pieces.options;
  info.option_count = pieces.option_count;
  Collector code;
  Collector log;
  Collector description;
  const Interruptible call;
  try {
    target.device->plugin().call(
        &nxs_functions::LinkProgram, [&] { return "link the " + titleOf(target, request); },
        target.device->id(), &info, code.sink(), log.sink(), description.sink());
  } catch (const Failure &failure) {
    call.check();
    if (failure.status() != NXS_LinkProgramFailure) {
      throw failure.withLog(utf8Of(log.take()));
    }
    refusePieces(failure, target, request, utf8Of(log.take()));
  }
  call.check();
  const PluginAnswer from{target.device->plugin().name, "nxsLinkProgram"};
  const json::Value answer = parseAnswer(description.take(), from);
  CodeContents contents;
  contents.name = request.name;
  contents.runtime = target.device->plugin().name;
  contents.target = textOf(answer, "Target", from);
  contents.format = textOf(answer, "Format", from);
  contents.flags = jsonListOf(answer, "Flags", from);
  contents.code = code.take();
  contents.log = utf8Of(log.take());
  contents.kernels = describeKernels(target, request, contents.code);
  return contents;
}

}  // namespace

}  // namespace nexus::core

using namespace nexus::core;

nxs_status nexus_link(nexus_device *device, nxs_string target, const nexus_link_info *info,
                      nexus_object_code **out_code) {
  return giveResult(out_code, "out_code", [&] {
    const Program request = linkRequestOf(info);
    const Target on = targetOf(device, viewOf(target, "target"));
    auto contents = std::make_shared<const CodeContents>(linkCode(on, request, *info));
    return make<ObjectCode>(std::move(contents), NEXUS_CODE_COMPILED);
  });
}
