// SPDX-License-Identifier: Apache-2.0
// Code, the kernels in it, and what they can be launched with.
#include "../kernels/form.hpp"
#include "../simulator/graph.hpp"
#include "devices.hpp"
#include "work.hpp"

#include <cstring>
#include <limits>

using namespace simulator;

namespace {

// The processor and the settings that the metadata of code is for: "gfx942:xnack-"; empty if it
// does not say.
std::string target_of(std::string_view notes) {
  const std::string_view triple = "amdgcn-amd-amdhsa--";
  const size_t at = notes.find(triple);
  if (at == std::string_view::npos) return {};
  const std::string_view rest = notes.substr(at + triple.size());
  return std::string(rest.substr(0, rest.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789"
                                                           ":+-")));
}

// Whether code for a target runs on a device: on its processor, with settings that it has.
bool runs_on(const std::string &target, const std::string &device) {
  for (size_t begin = 0; begin < target.size();) {
    const size_t end = std::min(target.find(':', begin), target.size());
    const std::string part = target.substr(begin, end - begin);
    if ((":" + device + ":").find(":" + part + ":") == std::string::npos) return false;
    begin = end + 1;
  }
  return true;
}

std::vector<std::string> kernels_of(std::string_view symbols, std::string_view names) {
  std::vector<std::string> kernels;
  const std::string descriptor = ".kd";
  for (size_t at = 0; at + sizeof(Elf64_Sym) <= symbols.size(); at += sizeof(Elf64_Sym)) {
    Elf64_Sym symbol;
    std::memcpy(&symbol, symbols.data() + at, sizeof(symbol));
    const std::string name = names.data() + symbol.st_name;
    if (name.ends_with(descriptor)) {
      kernels.push_back(name.substr(0, name.size() - descriptor.size()));
    }
  }
  return kernels;
}

// Reads a code object as HIP is given it: without a size.
Code parse_code_object(const void *code, const Device &device) {
  require(code != nullptr);
  const char *bytes = static_cast<const char *>(code);
  Elf64_Ehdr header;
  require(std::memcmp(bytes, ELFMAG, SELFMAG) == 0, hipErrorInvalidImage);
  std::memcpy(&header, bytes, sizeof(header));
  require(simulated_kernels::has_sections(header, simulated_kernels::kAmdMachine),
          hipErrorInvalidImage);
  std::map<std::string, std::string_view> sections;
  simulated_kernels::for_each_section(
      bytes, [&](const std::string &name, std::string_view content) { sections[name] = content; });
  require(runs_on(target_of(sections[".note"]), target_name(device)), hipErrorNoBinaryForGpu);
  return {std::string(sections[NEXUS_SIMULATED_SECTION]),
          kernels_of(sections[".dynsym"], sections[".dynstr"])};
}

}  // namespace

Launch simulator::launch_of(Call &call, void *function, const dim3 &grid, const dim3 &block,
                            unsigned shared, bool cooperative, void **parameters, void **extra) {
  const auto launched = function_of(call, function);
  require(launched->context() == call.context, hipErrorInvalidDevice);
  Launch launch(*launched, {grid.x, grid.y, grid.z}, {block.x, block.y, block.z}, shared);
  launch.cooperative = cooperative;
  for (size_t d = 0; d < 3; ++d) {
    require(uint64_t{launch.grid[d]} * launch.block[d] <= std::numeric_limits<uint32_t>::max());
  }
  launch.check(*launched);
  launch.take_parameters(parameters, extra);
  return launch;
}

// ---- Modules ----

SIMULATED_EXPORT hipError_t hipModuleLoadData(hipModule_t *out_module, const void *code) {
  return current_call("hipModuleLoadData", [&](Call &call) {
    require(out_module != nullptr);
    const Code image = parse_code_object(code, call.context->device());
    give(out_module, Module::make(*call.context, image).handle);
  });
}

SIMULATED_EXPORT hipError_t hipModuleUnload(hipModule_t module) {
  return device_call("hipModuleUnload", [&](Call &) {
    const auto ended = world().modules.get(module);
    ended->unload();
  });
}

SIMULATED_EXPORT hipError_t hipModuleGetFunction(hipFunction_t *out_function, hipModule_t module,
                                                 const char *name) {
  return current_call("hipModuleGetFunction", [&](Call &) {
    require(out_function != nullptr && name != nullptr && *name != '\0');
    give(out_function, world().modules.get(module)->function(name));
  });
}

SIMULATED_EXPORT hipError_t hipModuleGetGlobal(hipDeviceptr_t *out_memory, size_t *out_size,
                                               hipModule_t module, const char *name) {
  return current_call("hipModuleGetGlobal", [&](Call &) {
    require(out_memory != nullptr && out_size != nullptr && name != nullptr);
    const Allocation &found = world().modules.get(module)->global(name);
    *out_memory = reinterpret_cast<void *>(found.begin);
    *out_size = found.size;
  });
}

// ---- Functions ----

SIMULATED_EXPORT hipError_t hipFuncGetAttribute(int *out_value, hipFunction_attribute attribute,
                                                hipFunction_t function) {
  return current_call("hipFuncGetAttribute", [&](Call &call) {
    const auto asked = function_of(call, function);
    require(attribute >= 0 && attribute <= HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    const std::map<int, int> values{
        {HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, asked->max_threads()},
        {HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, asked->static_shared()},
        {HIP_FUNC_ATTRIBUTE_NUM_REGS, 32},
        {HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, asked->max_dynamic_shared}};
    const auto found = values.find(attribute);
    give(out_value, found == values.end() ? 0 : found->second);
  });
}

SIMULATED_EXPORT hipError_t hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(
    int *out_blocks, hipFunction_t function, int block_size, size_t shared) {
  return current_call("hipModuleOccupancyMaxActiveBlocksPerMultiprocessor", [&](Call &call) {
    give(out_blocks, function_of(call, function)->active_blocks(block_size, shared));
  });
}

SIMULATED_EXPORT hipError_t hipModuleOccupancyMaxPotentialBlockSize(int *out_grid, int *out_block,
                                                                    hipFunction_t function,
                                                                    size_t shared, int limit) {
  return current_call("hipModuleOccupancyMaxPotentialBlockSize", [&](Call &call) {
    const auto best =
        function_of(call, function)->best_size([shared](int) { return shared; }, limit);
    give(out_block, best.block);
    give(out_grid, best.blocks);
  });
}

namespace {

hipError_t submit(const char *name, hipFunction_t function, const dim3 &grid, const dim3 &block,
                  unsigned shared, hipStream_t stream, bool cooperative, void **parameters,
                  void **extra) {
  return stream_call(name, stream, [&](Call &call, const auto &in) {
    // From HIP 7 on the stream's device has to be the current one.
    require(major_version() < 7 || call.context == current_context(), hipErrorInvalidHandle);
    simulator::submit(
        *in, launch_of(call, function, grid, block, shared, cooperative, parameters, extra));
  });
}

}  // namespace

SIMULATED_EXPORT hipError_t hipModuleLaunchKernel(hipFunction_t function, unsigned grid_x,
                                                  unsigned grid_y, unsigned grid_z,
                                                  unsigned block_x, unsigned block_y,
                                                  unsigned block_z, unsigned shared,
                                                  hipStream_t stream, void **parameters,
                                                  void **extra) {
  return submit("hipModuleLaunchKernel", function, {grid_x, grid_y, grid_z},
                {block_x, block_y, block_z}, shared, stream, false, parameters, extra);
}

SIMULATED_EXPORT hipError_t hipModuleLaunchCooperativeKernel(
    hipFunction_t function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
    unsigned block_y, unsigned block_z, unsigned shared, hipStream_t stream, void **parameters) {
  return submit("hipModuleLaunchCooperativeKernel", function, {grid_x, grid_y, grid_z},
                {block_x, block_y, block_z}, shared, stream, true, parameters, nullptr);
}
