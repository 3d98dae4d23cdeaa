// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_LINKER_HPP_
#define NEXUS_LINKER_HPP_

#include <nexus/program.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace nexus {

/// Links one program from separately compiled pieces, whose functions may call each other. Pieces
/// are programs compiled with ProgramOptions::relocatable, and other files that the backend links,
/// recognized by their contents.
class Linker {
 public:
  /// name: names the linked program in messages. The options used are optimization, fastMath,
  /// debug, lineInfo and extra; the flags in extra are the linker's.
  explicit Linker(std::string name = "program", ProgramOptions options = {})
      : name_(std::move(name)), options_(std::move(options)) {}

  /// Adds a copy of a piece. name: names it in messages.
  Linker &add(std::span<const std::byte> code, std::string name) {
    codes_.emplace_back(reinterpret_cast<const char *>(code.data()), code.size());
    names_.push_back(std::move(name));
    return *this;
  }
  Linker &add(const ObjectCode &code) { return add(code.getCode(), code.getName()); }

  /// target: as for Program::compile. Each call links again. Throws Error: NXS_LinkProgramFailure
  /// with its log(), NXS_InvalidBinary, NXS_LinkerNotAvailable, NXS_NotSupported,
  /// NXS_InvalidProgram, NXS_InvalidValue (no piece).
  ObjectCode link(std::string_view target) const {
    const std::vector<nxs_string> codes = views(codes_);
    const std::vector<nxs_string> names = views(names_);
    const auto *extra = detail::extraOf(options_, target.substr(0, target.find(':')));
    const std::vector<nxs_string> flags = extra ? views(*extra) : std::vector<nxs_string>();
    auto info = detail::sized<nexus_link_info>();
    info.codes = codes.data();
    info.names = names.data();
    info.code_count = codes.size();
    info.name = detail::toString(name_);
    info.flags = detail::toFlags(options_);
    info.optimization = options_.optimization;
    info.options = flags.data();
    info.option_count = flags.size();
    return detail::result<ObjectCode>(nexus_link, nullptr, detail::toString(target), &info);
  }

 private:
  static std::vector<nxs_string> views(const std::vector<std::string> &texts) {
    std::vector<nxs_string> strings;
    for (const std::string &text : texts) {
      strings.push_back(detail::toString(text));
    }
    return strings;
  }

  std::string name_;
  ProgramOptions options_;
  std::vector<std::string> codes_;
  std::vector<std::string> names_;
};

}  // namespace nexus

#endif  // NEXUS_LINKER_HPP_
