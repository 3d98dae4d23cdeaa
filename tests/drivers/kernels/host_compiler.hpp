// SPDX-License-Identifier: Apache-2.0
#ifndef NEXUS_SIMULATED_HOST_COMPILER_HPP_
#define NEXUS_SIMULATED_HOST_COMPILER_HPP_

#include "described_kernel.hpp"
#include "folder.hpp"

#include <map>
#include <string>
#include <vector>

namespace simulated_kernels {

enum class Form { cuda, hip };

// A program in CUDA or HIP C++, for the host's compiler: the one that CXX names, else c++.
struct Program {
  std::string source;
  std::string name;
  std::map<std::string, std::string> headers;  // by the name that includes give
  std::vector<std::string> options;            // -I, -D and -U
  std::vector<std::string> expressions;        // kernels that are named so, such as "scale<float>"
  int architecture = 90;
  bool relocatable = false;  // to be linked with others
  Form form = Form::cuda;
};

struct Compiled {
  bool well = false;
  std::string log;     // in the form of NVRTC, or of clang for HIP
  std::string object;  // of the host
  std::vector<DescribedKernel> kernels;
  std::map<std::string, std::string> lowered;  // symbols, by name expression
};

Compiled compile(const Program &program);

// The words of its command: CXX, else c++.
std::string host_compiler();

// Returns where the bracket that opens there is closed; the end of the text if it is not.
size_t closing(const std::string &text, size_t open);

// Objects become a shared object.
Compiled link(const std::vector<std::string> &objects);

}  // namespace simulated_kernels

#endif  // NEXUS_SIMULATED_HOST_COMPILER_HPP_
