// SPDX-License-Identifier: Apache-2.0
// Why submitted work failed. Kept by its stream, and by all streams and events that fail with it.
#ifndef NEXUS_PLUGIN_FAILURE_HPP_
#define NEXUS_PLUGIN_FAILURE_HPP_

#include <nexus-plugin/base/error.hpp>
#include <nexus-plugin/base/shared.hpp>

namespace nexus_plugin NXS_HIDDEN {

// Owns an error record of the host. Immutable, so any thread may read it.
class Failure {
 public:
  explicit Failure(const Error &error)
      : error_(error), record_(make_error(error.native_code(), error.what())) {
    retain_error(record_);
  }
  ~Failure() { release_error(record_); }
  Failure(const Failure &) = delete;
  Failure &operator=(const Failure &) = delete;

  nxs_status status() const noexcept { return error_.status(); }
  const Error &error() const noexcept { return error_; }
  uint64_t record() const noexcept { return record_; }

 private:
  Error error_;
  uint64_t record_;
};

// Shared by everything that fails with it; empty: no failure.
using FailurePtr = Shared<Failure>;

inline FailurePtr make_failure(const Error &error) {
  return FailurePtr::make(error);
}

// Thrown by work that fails because other work failed. Keeps that failure, so that both have the
// same error record.
class Failed : public Error {
 public:
  explicit Failed(const FailurePtr &cause) : Error(cause->error()), cause_(cause) {}
  const FailurePtr &cause() const noexcept { return cause_; }

 private:
  FailurePtr cause_;
};

// Returns the failure for the exception being handled: call it in a catch block.
inline FailurePtr current_failure() noexcept {
  try {
    throw;
  } catch (const Failed &failed) {
    return failed.cause();
  } catch (...) {
    return detail::with_current_exception(
        [](nxs_status status, int64_t native_code, const char *text) {
          return make_failure(Error::with_native_code(native_code, status, text));
        });
  }
}

inline nxs_status status_of(const FailurePtr &failure) noexcept {
  return failure ? failure->status() : NXS_Success;
}

}  // namespace nexus_plugin

#endif  // NEXUS_PLUGIN_FAILURE_HPP_
