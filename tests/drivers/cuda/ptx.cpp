// SPDX-License-Identifier: Apache-2.0
#include "ptx.hpp"

#include "../simulator/context.hpp"
#include "../simulator/graph.hpp"
#include "../simulator/launch.hpp"

#include <chrono>
#include <cstring>
#include <map>
#include <regex>
#include <set>
#include <vector>

using namespace simulator;

namespace {

// Other work may write meanwhile, as what ends a loop does.
[[gnu::noinline, gnu::no_sanitize_thread]] uint64_t read_anew(const volatile unsigned char *from,
                                                              std::size_t bytes) {
  uint64_t read = 0;
  for (std::size_t i = 0; i < bytes; ++i) read |= uint64_t{from[i]} << (8 * i);
  return read;
}

struct Instruction {
  std::string guard;              // the predicate without which it does nothing; empty: none
  std::vector<std::string> name;  // between the dots: "ld", "param", "u64"
  std::vector<std::string> operands;

  const std::string &type() const { return name.back(); }
  size_t bytes() const { return type().ends_with("32") ? 4 : 8; }
};

std::vector<std::string> matches(const std::string &text, const char *pattern) {
  const std::regex expression(pattern);
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), expression), end; at != end; ++at) {
    found.push_back((*at)[0]);
  }
  return found;
}

uint64_t cut(uint64_t value, size_t bytes) {
  return bytes == 4 ? static_cast<uint32_t>(value) : value;
}

class PtxKernel final : public Interpreted {
 public:
  PtxKernel(const std::string &parameter_list, const std::string &body) {
    for (const std::string &each : matches(parameter_list, R"(\.param[^,)]*)")) {
      std::smatch found;
      require(std::regex_search(each, found,
                                std::regex(R"(\.[ub](8|32|64)\s+(\w+)(?:\[(\d+)\])?\s*$)")),
              CUDA_ERROR_INVALID_PTX);
      const auto count = found[3].matched ? std::stoul(found[3]) : 1;
      sizes.push_back(std::stoul(found[1]) / 8 * count);
      names_[found[2]] = sizes.size() - 1;
    }
    const std::regex line(R"((?:(\w+):)|(?:(?:@(%\w+)\s+)?([a-z][\w.]*)\s*([^;]*);)|(\.[^;]*;))");
    for (std::sregex_iterator at(body.begin(), body.end(), line), end; at != end; ++at) {
      const std::smatch &found = *at;
      if (found[1].matched) labels_[found[1]] = code_.size();
      if (!found[3].matched) continue;
      const std::string operands = found[4];
      code_.push_back(
          {found[2], matches(found[3], R"([^.]+)"), matches(operands, R"(\[[^\]]*\]|%?[\w.]+)")});
      static const std::set<std::string> known{"ld",  "st",  "mov", "setp", "selp",
                                               "add", "sub", "bra", "call", "ret"};
      require(known.contains(code_.back().name.front()), CUDA_ERROR_INVALID_PTX);
    }
  }

  Result run(const unsigned char *parameters) const override {
    Run run{*this, parameters, {}, {}};
    return run.go();
  }

 private:
  struct Run {
    const PtxKernel &kernel;
    const unsigned char *parameters;
    std::map<std::string, uint64_t> registers;
    std::map<std::string, uint64_t> given;  // to the function that is called next

    Result go() {
      for (size_t next = 0; next < kernel.code_.size(); ++next) {
        const Instruction &each = kernel.code_[next];
        if (!each.guard.empty() && registers[each.guard] == 0) continue;
        const std::string &name = each.name.front();
        if (name == "ret") break;
        if (name == "bra") {
          next = kernel.labels_.at(each.operands[0]) - 1;
          continue;
        }
        const Result result = name == "call" ? call(each)
                              : name == "ld" ? load(each)
                              : name == "st" ? store(each)
                                             : compute(each);
        if (result != kSuccess) return result;
      }
      return kSuccess;
    }

    // A register, a number, or the place of a parameter.
    uint64_t value(const std::string &operand) {
      if (operand == "%globaltimer") {
        const auto now = std::chrono::steady_clock::now().time_since_epoch();
        return static_cast<uint64_t>(std::chrono::nanoseconds(now).count());
      }
      if (operand.front() == '%') return registers[operand];
      const auto parameter = kernel.names_.find(operand);
      return parameter != kernel.names_.end() ? kernel.offset_of(parameter->second)
                                              : std::stoull(operand);
    }
    // "[%at+8]"
    uint64_t place(const std::string &operand) {
      const std::vector<std::string> parts = matches(operand, R"(%?\w+)");
      return value(parts[0]) + (parts.size() == 1 ? 0 : std::stoull(parts[1]));
    }
    Result load(const Instruction &each) {
      const uint64_t from = place(each.operands[1]);
      uint64_t read = 0;
      if (each.name[1] == "param") {
        std::memcpy(&read, parameters + from, each.bytes());
      } else {
        const Result can = check_running(from, each.bytes());
        if (can != kSuccess) return can;
        read = read_anew(reinterpret_cast<const volatile unsigned char *>(from), each.bytes());
      }
      registers[each.operands[0]] = read;
      return kSuccess;
    }
    Result store(const Instruction &each) {
      const uint64_t written = value(each.operands[1]);
      if (each.name[1] == "param") {
        given[each.operands[0]] = written;
        return kSuccess;
      }
      const uint64_t to = place(each.operands[0]);
      const Result can = check_running(to, each.bytes());
      if (can == kSuccess) std::memcpy(reinterpret_cast<void *>(to), &written, each.bytes());
      return can;
    }
    Result compute(const Instruction &each) {
      const std::string &name = each.name.front();
      const size_t bytes = each.bytes();
      const uint64_t one = cut(value(each.operands[1]), bytes);
      const uint64_t other = each.operands.size() > 2 ? cut(value(each.operands[2]), bytes) : 0;
      uint64_t made = one;  // mov
      if (name == "add") made = one + other;
      if (name == "sub") made = one - other;
      if (name == "selp") made = value(each.operands[3]) != 0 ? one : other;
      if (name == "setp") {
        const std::string &how = each.name[1];
        made = how == "eq"   ? one == other
               : how == "ne" ? one != other
               : how == "lt" ? one < other
                             : one >= other;
      }
      registers[each.operands[0]] = cut(made, bytes);
      return kSuccess;
    }
    // "cudaGraphSetConditional, (to, is)"
    Result call(const Instruction &each) {
      if (each.operands[0] != "cudaGraphSetConditional") return CUDA_ERROR_ILLEGAL_INSTRUCTION;
      return set_condition(given["[" + each.operands[1] + "]"],
                           static_cast<uint32_t>(given["[" + each.operands[2] + "]"]));
    }
  };

  std::map<std::string, size_t> names_;  // of the parameters
  std::map<std::string, size_t> labels_;
  std::vector<Instruction> code_;
};

}  // namespace

std::shared_ptr<const Interpreted> interpret_ptx(const std::string &text, const std::string &name) {
  std::smatch found;
  const std::regex entry(R"(\.entry\s+)" + name + R"(\s*\(([^)]*)\)\s*\{([^}]*)\})");
  require(std::regex_search(text, found, entry), CUDA_ERROR_INVALID_PTX);
  return std::make_shared<PtxKernel>(found[1], found[2]);
}
