// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_FOLDER_HPP_
#define NEXUS_SIMULATED_FOLDER_HPP_

#include <filesystem>
#include <string>
#include <vector>

namespace simulated_kernels {

// A folder for a while.
class Folder {
 public:
  Folder();  // throws std::runtime_error
  ~Folder();
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;

  std::filesystem::path operator/(const std::string &name) const { return path_ / name; }
  std::string text() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

void write_file(const std::filesystem::path &path, const std::string &bytes);
std::string read_file(const std::filesystem::path &path);

struct Ran {
  bool well;
  std::string output;  // both streams
};

// Runs a program of the system. The first word may hold several, as CXX does.
Ran run(const std::string &program, const std::vector<std::string> &arguments);

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_FOLDER_HPP_
