// SPDX-License-Identifier: Apache-2.0
#include "compile/include_search.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "language/kernel_header.hpp"

namespace nexus::core {
namespace {

constexpr uint64_t kMaxIncludeSize = uint64_t{64} << 20;

void setText(IncludeFile &file, std::string_view text) {
  file.text = text.starts_with("\xEF\xBB\xBF") ? text.substr(3) : text;
  file.directives = directivesOf(file.text);
  file.guarded = hasIncludeGuard(file.directives);
  file.once = std::any_of(file.directives.list.begin(), file.directives.list.end(),
                          [](const Directive &each) { return isPragmaOnce(each); });
}

std::string folderOf(const std::string &path) {
  return std::filesystem::path(path).parent_path().string();
}

std::string joined(const std::string &folder, const std::string &name) {
  return (std::filesystem::path(folder) / name).lexically_normal().string();
}

}  // namespace

IncludeSearch::IncludeSearch(const Program &program, std::string_view runtime)
    : program_(program), dialect_("nexus-kernel/" + std::string(runtime) + ".h") {
  if (kernelHeaderText(dialect_) == nullptr) dialect_.clear();
}

IncludeFile IncludeSearch::programText() const {
  IncludeFile file;
  file.name = program_.name;
  setText(file, program_.source);
  return file;
}

const FileState &IncludeSearch::lookAt(const std::string &path) {
  const auto found = states_.find(path);
  return found != states_.end() ? found->second
                                : states_.emplace(path, stateOf(path)).first->second;
}

std::vector<FileState> IncludeSearch::takeStates() {
  std::vector<FileState> states;
  for (auto &[path, state] : states_) {
    states.push_back(std::move(state));
  }
  states_.clear();
  return states;
}

std::vector<std::string> IncludeSearch::foldersOf(bool quoted, const IncludeFile &from) {
  std::vector<std::string> folders;
  // A program is in a folder if its name is the path of a file; libnexus' header is in none.
  const auto liesInFolder = [&] { return !from.identity.empty() || lookAt(from.name).present; };
  if (quoted && !from.of_header && liesInFolder()) {
    folders.push_back(folderOf(from.name));
  }
  folders.insert(folders.end(), program_.include_paths.begin(), program_.include_paths.end());
  return folders;
}

std::string IncludeSearch::folders(bool quoted, const IncludeFile &from) {
  std::vector<std::string> names;
  for (const std::string &folder : foldersOf(quoted, from)) {
    std::string name = "'" + (folder.empty() ? "." : folder) + "'";
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      names.push_back(std::move(name));
    }
  }
  return listWords(names, "");
}

const IncludeFile *IncludeSearch::headerFile(const std::string &name, bool quoted,
                                             const IncludeFile &from) {
  std::string path = name;
  const std::string *text = kernelHeaderText(path);
  if (text == nullptr && quoted && from.of_header) {
    path = joined(folderOf(from.name), name);
    text = kernelHeaderText(path);
  }
  const bool other_dialect =
      from.of_header && from.name == kKernelHeader && !dialect_.empty() && path != dialect_;
  if (text == nullptr || other_dialect) {
    return nullptr;
  }
  std::unique_ptr<IncludeFile> &file = files_["<" + path];
  if (!file) {
    file = std::make_unique<IncludeFile>();
    file->name = path;
    file->identity = "<" + path;
    file->of_header = true;
    setText(*file, *text);
  }
  return file.get();
}

const IncludeFile *IncludeSearch::fileAt(const std::string &path) {
  const FileState &state = lookAt(path);
  if (!state.present) {
    return nullptr;
  }
  std::unique_ptr<IncludeFile> &file = files_[path];
  if (file) {
    return file.get();
  }
  const std::string what =
      "The program '" + std::string(program_.name) + "' includes the file '" + path + "', which ";
  if (state.size > kMaxIncludeSize) {
    throw Failure(NXS_InvalidProgram, what + "has more than " + std::to_string(kMaxIncludeSize) +
                                          " bytes; give the source of a kernel.");
  }
  const std::optional<std::string> text = readText(state);
  if (!text) {
    throw Failure(NXS_InvalidProgram, what + "can't be read; check its permissions.");
  }
  if (!isUtf8(*text) || text->find('\0') != std::string::npos) {
    throw Failure(NXS_InvalidProgram, what + "is no text in UTF-8; save it in that encoding.");
  }
  auto made = std::make_unique<IncludeFile>();
  made->name = path;
  made->identity = std::to_string(state.device) + ":" + std::to_string(state.number);
  setText(*made, *text);
  file = std::move(made);
  return file.get();
}

const IncludeFile *IncludeSearch::find(const std::string &name, bool quoted,
                                       const IncludeFile &from) {
  const bool header_first = program_.isPortable() || from.of_header;
  if (header_first) {
    if (const IncludeFile *file = headerFile(name, quoted, from)) return file;
  }
  if (std::filesystem::path(name).is_absolute()) {
    return fileAt(name);
  }
  for (const std::string &folder : foldersOf(quoted, from)) {
    if (const IncludeFile *file = fileAt(joined(folder, name))) return file;
  }
  return header_first ? nullptr : headerFile(name, quoted, from);
}

}  // namespace nexus::core
