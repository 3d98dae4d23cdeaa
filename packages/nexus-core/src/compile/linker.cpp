// SPDX-License-Identifier: Apache-2.0
#include "compile/linker.hpp"

#include "base/interrupt.hpp"
#include "base/text.hpp"
#include "code/sink.hpp"
#include "compile/kernel_description.hpp"
#include "compile/program.hpp"
#include "registry/plugin_answer.hpp"

namespace nexus::core {
namespace {

// "program 'whole' for cpu"
std::string titleOfLinked(const Target &target, const LinkRequest &request) {
  return "program '" + std::string(request.name) + "' for " + target.device->plugin().name +
         (target.architecture.empty() ? "" : ":" + target.architecture);
}

// A request as nxs_link_info. Borrows the request and the target.
class LinkInfo {
 public:
  LinkInfo(const Target &target, const LinkRequest &request)
      : codes_(stringsOf(request.codes)),
        names_(stringsOf(request.names)),
        options_(stringsOf(request.options)) {
    info_.struct_size = sizeof(info_);
    info_.codes = codes_.data();
    info_.names = names_.data();
    info_.code_count = codes_.size();
    info_.target = stringOf(target.architecture);
    info_.flags = request.flags;
    info_.optimization = request.optimization;
    info_.options = options_.data();
    info_.option_count = options_.size();
  }
  LinkInfo(const LinkInfo &) = delete;
  LinkInfo &operator=(const LinkInfo &) = delete;

  const nxs_link_info *get() const noexcept { return &info_; }

 private:
  std::vector<nxs_string> codes_;
  std::vector<nxs_string> names_;
  std::vector<nxs_string> options_;
  nxs_link_info info_{};
};

[[noreturn]] void refusePieces(const Failure &failure, const Target &target,
                               const LinkRequest &request, std::string log) {
  std::string words = clippedLog(log.empty() ? failure.text() : log);
  words.erase(words.find_last_not_of('\n') + 1);
  const std::string text = "The " + titleOfLinked(target, request) + " can't be linked.\n" + words;
  throw Failure(NXS_LinkProgramFailure, text, failure.nativeCode(), failure.backend())
      .withLog(std::move(log));
}

std::vector<std::string_view> bytesOf(const nxs_string *codes, uint64_t count) {
  std::vector<std::string_view> list;
  for (uint64_t i = 0; i < count; ++i) {
    requirePointer(codes[i].data, "codes[" + std::to_string(i) + "].data");
    list.emplace_back(codes[i].data, static_cast<std::size_t>(codes[i].size));
  }
  return list;
}

}  // namespace

LinkRequest linkRequestOf(const nexus_link_info *info) {
  requirePointer(info, "info");
  if (info->struct_size < sizeof(nexus_link_info)) {
    throw Failure(NXS_InvalidValue, "info->struct_size is " + std::to_string(info->struct_size) +
                                        "; set it to sizeof(nexus_link_info).");
  }
  if (info->code_count == 0) {
    throw Failure(NXS_InvalidValue, "codes has no piece of code; give at least one.");
  }
  requirePointer(info->codes, "codes");
  LinkRequest request;
  request.codes = bytesOf(info->codes, info->code_count);
  request.names = listOfTexts(info->names, info->code_count, "names");
  request.name = viewOf(info->name, "name");
  request.flags = info->flags;
  request.optimization = info->optimization;
  request.options = listOfTexts(info->options, info->option_count, "options");
  if (request.name.empty()) {
    request.name = "program";
  }
  requireProgramName(request.name);
  requireCodeFlags(info->flags, info->reserved, info->optimization);
  return request;
}

CodeContents linkCode(const Target &target, const LinkRequest &request) {
  const LinkInfo info(target, request);
  Collector code;
  Collector log;
  Collector description;
  const Interruptible call;
  try {
    target.device->plugin().call(
        &nxs_functions::LinkProgram, [&] { return "link the " + titleOfLinked(target, request); },
        target.device->id(), info.get(), code.sink(), log.sink(), description.sink());
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
  contents.flags = listOf(answer, "Flags", from);
  contents.code = code.take();
  contents.log = utf8Of(log.take());
  Program linked;
  linked.name = request.name;
  contents.kernels = describeKernels(target, linked, contents.code);
  return contents;
}

}  // namespace nexus::core
