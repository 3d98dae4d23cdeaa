// SPDX-License-Identifier: Apache-2.0
//
// A linker for the simulated driver, with the functions of nvJitLink. Names and numbers are those
// of "nvJitLink", the user guide of CUDA 12.9. It takes cubins, PTX and LTO-IR of the simulated
// NVRTC.
#include "../kernels/cubin.hpp"
#include "../kernels/host_compiler.hpp"
#include "../kernels/planned_failure.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>

// At the beginning of a function: it fails on demand.
#define FAIL_ON_DEMAND                                                                    \
  if (const int planned =                                                                 \
          simulated_kernels::planned_failure("NEXUS_SIMULATED_NVJITLINK_FAIL", __func__)) \
  return static_cast<nvJitLinkResult>(planned)
#define SIMULATED_EXPORT extern "C" __attribute__((visibility("default")))

enum nvJitLinkResult : int32_t {
  NVJITLINK_SUCCESS = 0,
  NVJITLINK_ERROR_UNRECOGNIZED_OPTION = 1,
  NVJITLINK_ERROR_MISSING_ARCH = 2,
  NVJITLINK_ERROR_INVALID_INPUT = 3,
  NVJITLINK_ERROR_INTERNAL = 6,
  NVJITLINK_ERROR_UNRECOGNIZED_INPUT = 8,
  NVJITLINK_ERROR_NULL_INPUT = 10,
};

enum nvJitLinkInputType : int32_t {
  NVJITLINK_INPUT_CUBIN = 1,
  NVJITLINK_INPUT_PTX = 2,
  NVJITLINK_INPUT_LTOIR = 3,
  NVJITLINK_INPUT_LIBRARY = 6,
  NVJITLINK_INPUT_ANY = 10,
};

struct nvJitLink {
  int architecture = 0;
  bool ptx = false;
  std::vector<std::string> objects;
  std::string cubin, ptx_text, errors;
};
using nvJitLinkHandle = nvJitLink *;

namespace {

constexpr unsigned kMajor = 12, kMinor = 9;
std::atomic<int> live_links{0};
constexpr int kPtxVersion = 88;

// False where the option is none.
bool take(nvJitLink &link, const std::string &option) {
  const std::string architecture = "-arch=sm_";
  if (option.rfind(architecture, 0) == 0) {
    link.architecture = std::atoi(option.c_str() + architecture.size());
    return true;
  }
  if (option == "-ptx") link.ptx = true;
  for (const char *known : {"-lto", "-ptx", "-g", "-lineinfo", "-time", "-verbose", "-O",
                            "-ftz=", "-prec-div=", "-prec-sqrt=", "-fma=", "-maxrregcount=",
                            "-kernels-used=", "-variables-used=", "-optimize-unused-variables",
                            "-Xptxas=", "-Xnvvm=", "-split-compile="}) {
    if (option.rfind(known, 0) == 0) return true;
  }
  return false;
}

nvJitLinkResult complete(nvJitLink &link) {
  const simulated_kernels::Compiled linked = simulated_kernels::link(link.objects);
  if (!linked.well) {
    link.errors += "error   : " + linked.log + "\n";
    return NVJITLINK_ERROR_INTERNAL;
  }
  const simulated_kernels::Code code{linked.object, linked.kernels, link.architecture, false};
  if (link.ptx) {
    link.ptx_text = simulated_kernels::ptx_of(code, kPtxVersion);
  } else {
    link.cubin = simulated_kernels::cubin_of(code);
  }
  return NVJITLINK_SUCCESS;
}

// Runs body, whose exceptions become a result.
template <class Body>
nvJitLinkResult guarded(nvJitLinkHandle link, Body &&body) {
  if (link == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  try {
    return body();
  } catch (const std::exception &error) {
    link->errors += error.what();
    return NVJITLINK_ERROR_INTERNAL;
  }
}

nvJitLinkResult tell_size(nvJitLinkHandle link, size_t *out, size_t size) {
  if (link == nullptr || out == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  *out = size;
  return NVJITLINK_SUCCESS;
}

nvJitLinkResult tell(nvJitLinkHandle link, void *out, const std::string &bytes, size_t size) {
  if (link == nullptr || out == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  std::memcpy(out, bytes.c_str(), size);
  return NVJITLINK_SUCCESS;
}

}  // namespace

SIMULATED_EXPORT nvJitLinkResult nvJitLinkVersion(unsigned *out_major, unsigned *out_minor) {
  FAIL_ON_DEMAND;
  if (out_major == nullptr || out_minor == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  *out_major = kMajor;
  *out_minor = kMinor;
  return NVJITLINK_SUCCESS;
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkCreate(nvJitLinkHandle *out_link, uint32_t count,
                                                 const char **options) {
  FAIL_ON_DEMAND;
  if (out_link == nullptr || (count > 0 && options == nullptr)) {
    return NVJITLINK_ERROR_INVALID_INPUT;
  }
  auto made = std::make_unique<nvJitLink>();
  nvJitLinkResult result = NVJITLINK_SUCCESS;
  for (uint32_t i = 0; i < count; ++i) {
    if (take(*made, options[i])) continue;
    made->errors = std::string("error   : unrecognized option ") + options[i] + "\n";
    result = NVJITLINK_ERROR_UNRECOGNIZED_OPTION;
  }
  if (result == NVJITLINK_SUCCESS && made->architecture == 0) result = NVJITLINK_ERROR_MISSING_ARCH;
  ++live_links;
  *out_link = made.release();  // also where it failed, for its log
  return result;
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkDestroy(nvJitLinkHandle *link) {
  FAIL_ON_DEMAND;
  if (link == nullptr || *link == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  delete *link;
  --live_links;
  *link = nullptr;
  return NVJITLINK_SUCCESS;
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkAddData(nvJitLinkHandle link, nvJitLinkInputType type,
                                                  const void *data, size_t size, const char *name) {
  FAIL_ON_DEMAND;
  return guarded(link, [&] {
    if (data == nullptr || size == 0) return NVJITLINK_ERROR_NULL_INPUT;
    if (type < NVJITLINK_INPUT_CUBIN || type > NVJITLINK_INPUT_ANY) {
      return NVJITLINK_ERROR_INVALID_INPUT;
    }
    const std::string bytes(static_cast<const char *>(data), size);
    const std::string object = simulated_kernels::object_in(bytes);
    if (object.empty()) {
      link->errors += std::string("error   : '") + (name == nullptr ? "" : name) +
                      "' holds no code of the simulation\n";
      return NVJITLINK_ERROR_UNRECOGNIZED_INPUT;
    }
    link->objects.push_back(object);
    return NVJITLINK_SUCCESS;
  });
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkAddFile(nvJitLinkHandle link, nvJitLinkInputType type,
                                                  const char *path) {
  FAIL_ON_DEMAND;
  if (link == nullptr || path == nullptr) return NVJITLINK_ERROR_INVALID_INPUT;
  const std::string bytes = simulated_kernels::read_file(path);
  return nvJitLinkAddData(link, type, bytes.data(), bytes.size(), path);
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkComplete(nvJitLinkHandle link) {
  FAIL_ON_DEMAND;
  return guarded(link, [&] { return complete(*link); });
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetLinkedCubinSize(nvJitLinkHandle link, size_t *out) {
  FAIL_ON_DEMAND;
  return tell_size(link, out, link == nullptr ? 0 : link->cubin.size());
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetLinkedCubin(nvJitLinkHandle link, void *out) {
  FAIL_ON_DEMAND;
  return tell(link, out, link->cubin, link->cubin.size());
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetLinkedPtxSize(nvJitLinkHandle link, size_t *out) {
  FAIL_ON_DEMAND;
  return tell_size(link, out, link == nullptr ? 0 : link->ptx_text.size() + 1);
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetLinkedPtx(nvJitLinkHandle link, char *out) {
  FAIL_ON_DEMAND;
  return tell(link, out, link->ptx_text, link->ptx_text.size() + 1);
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetErrorLogSize(nvJitLinkHandle link, size_t *out) {
  FAIL_ON_DEMAND;
  return tell_size(link, out, link == nullptr ? 0 : link->errors.size() + 1);
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetErrorLog(nvJitLinkHandle link, char *out) {
  FAIL_ON_DEMAND;
  return tell(link, out, link->errors, link->errors.size() + 1);
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetInfoLogSize(nvJitLinkHandle link, size_t *out) {
  FAIL_ON_DEMAND;
  return tell_size(link, out, 1);
}

SIMULATED_EXPORT nvJitLinkResult nvJitLinkGetInfoLog(nvJitLinkHandle link, char *out) {
  FAIL_ON_DEMAND;
  return tell(link, out, "", 1);
}

// For tests: links that were not destroyed.
SIMULATED_EXPORT int nvJitLinkSimulatedLive() {
  return live_links;
}
