// SPDX-License-Identifier: Apache-2.0
//
// One call through the layer `validate`: what was found about it, and what its checks hand on from
// before the call to after it.
#pragma once

#include <nexus-api/nxs_functions.h>

#include <nexus-plugin/error.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "layers/calls_text.hpp"
#include "layers/validate/given.hpp"
#include "layers/validate/objects.hpp"
#include "layers/validate/report.hpp"

namespace nexus::core::layers::validation {

using nexus_plugin::join;

class Call {
 public:
  Call(uint32_t tag, const nxs_functions &next, std::string_view function) noexcept;
  ~Call();
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  uint32_t tag() const noexcept { return tag_; }
  const nxs_functions &next() const noexcept { return next_; }
  std::string_view function() const noexcept { return function_; }
  /// is("CreateBuffer")
  bool is(std::string_view name) const noexcept { return function_.substr(3) == name; }
  bool claims(nxs_capability capability) const;

  /// The caller did something wrong. status: what the plug-in should answer.
  void find(Message message, nxs_status status, std::string text);
  /// The same where the call itself could end the process: it is not made.
  void stop(Message message, nxs_status status, std::string text);
  bool stopped() const noexcept { return stopped_; }
  bool found() const noexcept { return !findings_.empty(); }
  /// Runs a check of libnexus or of the kit, which throws. What it says is of the message, unless
  /// its status has one of its own.
  template <typename Check>
  void check(Message message, Check &&check) {
    try {
      check();
    } catch (const Failure &failure) {
      take(message, failure.status(), failure.what());
    } catch (const nexus_plugin::Error &error) {
      take(message, error.status(), error.what());
    }
  }
  /// The plug-in did something wrong.
  void blame(Message message, std::string text);

  /// Runs checks; where they fail, as for want of memory, they are left out.
  template <typename Checks>
  static void attempt(Checks &&checks) noexcept {
    try {
      checks();
    } catch (const std::exception &) {
      return;
    }
  }

  /// Returns whether the call is not to be made, and what is returned then.
  bool refuses() const noexcept;
  nxs_status refuse() noexcept;
  /// After the call: tells what was found. Returns what the caller gets.
  nxs_status finish(nxs_status status) noexcept;

  Given given;

  // What checks before the call leave for those after it.
  nxs_ticket newest_before = 0;              // of the stream's tickets
  nxs_ticket completed_before = 0;           // of those that were complete
  std::vector<Use> uses;                     // of work that is submitted or recorded
  nxs_id schedule = 0;                       // whose run it is
  EventFacts event;                          // as it was
  std::shared_ptr<StreamFacts> submitting;   // the stream that gets work
  std::shared_ptr<ScheduleFacts> recording;  // the schedule that is being recorded
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();

 private:
  void take(Message message, nxs_status status, std::string text);

  const uint32_t tag_;
  const nxs_functions &next_;
  const std::string_view function_;
  const uint64_t error_before_;
  std::vector<Finding> findings_;
  std::vector<Finding> lies_;
  bool stopped_ = false;
};

}  // namespace nexus::core::layers::validation
