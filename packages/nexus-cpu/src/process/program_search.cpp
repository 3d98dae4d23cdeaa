// SPDX-License-Identifier: Apache-2.0
#include "process/program_search.hpp"

#include <sys/stat.h>
#include <unistd.h>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace nexus_cpu NXS_HIDDEN {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string absolute_path(const std::string &path) {
  std::error_code failed;
  const std::filesystem::path absolute = std::filesystem::absolute(path, failed);
  return failed ? path : absolute.string();
}

// Takes a command line apart, one character after the other.
class WordReader {
 public:
  void read(char character) {
    if (escaped_) {
      escaped_ = false;
      add(character);
    } else if (quote_ != '\0') {
      read_quoted(character);
    } else if (character == '\'' || character == '"') {
      quote_ = character;
      in_word_ = true;
    } else if (character == '\\') {
      escaped_ = true;
    } else if (kBlanks.find(character) != std::string_view::npos) {
      end_word();
    } else {
      add(character);
    }
  }

  std::optional<std::vector<std::string>> finish() {
    if (escaped_ || quote_ != '\0') return std::nullopt;
    end_word();
    return std::move(words_);
  }

 private:
  void read_quoted(char character) {
    if (character == quote_) {
      quote_ = '\0';
    } else if (character == '\\' && quote_ == '"') {
      escaped_ = true;
    } else {
      add(character);
    }
  }
  void add(char character) {
    word_ += character;
    in_word_ = true;
  }
  void end_word() {
    if (in_word_) words_.push_back(word_);
    word_.clear();
    in_word_ = false;
  }

  std::vector<std::string> words_;
  std::string word_;
  bool in_word_ = false;
  bool escaped_ = false;
  char quote_ = '\0';
};

}  // namespace

std::string environment_text(const char *name) {
  const char *value = std::getenv(name);
  if (value == nullptr) return {};
  const std::string_view text = value;
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

bool is_program(const std::string &path) {
  struct stat status{};
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

std::string find_program(const std::string &word) {
  if (word.empty()) return {};
  if (word.find('/') != std::string::npos) {
    return is_program(word) ? absolute_path(word) : std::string();
  }
  const char *path = std::getenv("PATH");
  std::string_view folders = path != nullptr ? path : "/usr/bin:/bin";
  while (true) {
    const std::size_t end = folders.find(':');
    const std::string_view folder = folders.substr(0, end);
    const std::string candidate = std::string(folder.empty() ? "." : folder) + "/" + word;
    if (is_program(candidate)) return absolute_path(candidate);
    if (end == std::string_view::npos) return {};
    folders.remove_prefix(end + 1);
  }
}

std::optional<std::vector<std::string>> split_words(std::string_view command) {
  WordReader reader;
  for (const char character : command) reader.read(character);
  return reader.finish();
}

std::string_view file_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string real_path(const std::string &path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return failed ? path : real.string();
}

}  // namespace nexus_cpu
