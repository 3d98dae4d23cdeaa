// SPDX-License-Identifier: Apache-2.0
#include "shared_record.hpp"

#include "failure.hpp"
#include "foreign_file.hpp"

#include <sys/mman.h>
#include <unistd.h>
#include <cstring>

namespace simulated_cuda {
namespace {

constexpr size_t kRecordPage = 4096;
constexpr uint32_t kEventHandle = 0x45564e54;

}  // namespace

SharedRecord::SharedRecord() : file_(memfd_create("simulated-event", MFD_CLOEXEC)) {
  require(file_ >= 0 && ftruncate(file_, kRecordPage) == 0, CUDA_ERROR_OPERATING_SYSTEM);
  map();
}

SharedRecord::SharedRecord(const CUipcEventHandle &handle) {
  ForeignFile foreign;
  std::memcpy(&foreign, handle.reserved, sizeof(foreign));
  require(foreign.kind == kEventHandle, CUDA_ERROR_INVALID_VALUE);
  file_ = foreign.open();
  require(file_ >= 0, CUDA_ERROR_INVALID_VALUE);
  map();
}

SharedRecord::~SharedRecord() {
  if (numbers_ != nullptr) munmap(numbers_, kRecordPage);
  if (file_ >= 0) close(file_);
}

void SharedRecord::map() {
  void *page = mmap(nullptr, kRecordPage, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
  require(page != MAP_FAILED, CUDA_ERROR_OPERATING_SYSTEM);
  numbers_ = static_cast<Numbers *>(page);
}

CUipcEventHandle SharedRecord::handle() const {
  const ForeignFile own{kEventHandle, getpid(), file_, 0, 0, 0};
  CUipcEventHandle handle{};
  std::memcpy(handle.reserved, &own, sizeof(own));
  return handle;
}

void SharedRecord::end(uint64_t number) {
  uint64_t before = numbers_->done;
  while (before < number && !numbers_->done.compare_exchange_weak(before, number)) {
  }
}

}  // namespace simulated_cuda
