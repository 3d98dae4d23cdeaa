// SPDX-License-Identifier: Apache-2.0
#include "layers/validate/launch_checks.hpp"

#include "base/data_type.hpp"
#include "layers/validate/words.hpp"

namespace nexus::core::layers::validation {
namespace {

using Lengths = uint64_t[3];

DeviceFacts deviceOf(nxs_id device) {
  const Locked objects;
  const auto facts = objects->devices.find(device);
  return facts == nullptr ? DeviceFacts{} : *facts;
}

bool isUnset(const Lengths &lengths) {
  return lengths[0] == 0 && lengths[1] == 0 && lengths[2] == 0;
}

std::string text(const Lengths &lengths) {
  return words("(", lengths[0], ", ", lengths[1], ", ", lengths[2], ")");
}

// The product; UINT64_MAX where 64 bits do not hold it.
uint64_t product(const Lengths &lengths) {
  uint64_t all = 1;
  for (const uint64_t length : lengths) {
    if (__builtin_mul_overflow(all, length, &all)) return UINT64_MAX;
  }
  return all;
}

void wrongLaunch(Call &call, nxs_status status, std::string what) {
  call.find(Message::Launch, status, std::move(what));
}

void checkGroups(Call &call, const nxs_launch &launch) {
  for (int i = 0; i < 3; ++i) {
    uint64_t covered = 0;
    const bool too_many =
        __builtin_mul_overflow(launch.group_size[i], launch.group_count[i], &covered);
    if (launch.group_size[i] == 0 || (!too_many && covered < launch.grid_size[i])) {
      wrongLaunch(call, NXS_InvalidGlobalWorkSize,
                  words("group_size is ", text(launch.group_size), " and group_count ",
                        text(launch.group_count), ", which do not cover grid_size ",
                        text(launch.grid_size)));
      return;
    }
  }
}

void checkMissing(Call &call, const CommandFacts &command) {
  if (command.kernel == nullptr || !command.kernel->described) {
    return;
  }
  for (uint32_t i = 0; i < command.kernel->arguments.size(); ++i) {
    if (command.arguments.count(i) == 0) {
      call.find(Message::MissingArgument, NXS_InvalidKernelArgs,
                words("argument ", i, " of the kernel '", command.kernel->name, "' was not set"));
      return;
    }
  }
}

}  // namespace

Access checkArgument(Call &call, const CommandFacts &command, uint32_t index,
                     const nxs_argument &argument) {
  const uint64_t alignment = deviceOf(command.device).alignment;
  if (argument.kind == NXS_ArgumentKind_Buffer && alignment > 1 &&
      argument.offset % alignment != 0) {
    call.find(
        Message::Alignment, NXS_MisalignedSubBufferOffset,
        words("argument->offset is ", argument.offset, ", and BufferOffsetAlignment ", alignment));
  }
  if (command.kernel == nullptr || !command.kernel->described) {
    return Access::Unknown;
  }
  const KernelFacts &kernel = *command.kernel;
  if (index >= kernel.arguments.size()) {
    call.find(Message::ArgumentIndex, NXS_InvalidArgIndex,
              words("index is ", index, ", and the kernel '", kernel.name, "' has ",
                    kernel.arguments.size(), " arguments"));
    return Access::Unknown;
  }
  const ArgumentFacts &wanted = kernel.arguments[index];
  if (wanted.kind != NXS_ArgumentKind_Unknown && wanted.kind != argument.kind) {
    call.find(Message::ArgumentKind, NXS_InvalidArgValue,
              words("argument ", index, " of the kernel '", kernel.name, "' is of the kind ",
                    wanted.kind, ", and one of the kind ", argument.kind, " was given"));
  } else if (wanted.kind == NXS_ArgumentKind_Scalar && wanted.size != 0 &&
             wanted.size != argument.size) {
    call.find(Message::ArgumentSize, NXS_InvalidArgSize,
              words("argument ", index, " of the kernel '", kernel.name, "' has ", wanted.size,
                    " bytes, and ", argument.size, " were given"));
  }
  return wanted.access;
}

void checkLaunch(Call &call, const CommandFacts &command, const nxs_launch &launch) {
  const DeviceFacts device = deviceOf(command.device);
  checkMissing(call, command);
  const bool chosen_by_backend = isUnset(launch.group_size);
  if (isUnset(launch.grid_size) || chosen_by_backend != isUnset(launch.group_count)) {
    wrongLaunch(call, NXS_InvalidGlobalWorkSize,
                words("grid_size is ", text(launch.grid_size), ", group_size ",
                      text(launch.group_size), " and group_count ", text(launch.group_count),
                      "; the grid is given, and the other two are both given or both 0"));
  } else if (!chosen_by_backend) {
    checkGroups(call, launch);
  }
  uint64_t largest = device.max_group;
  if (command.kernel != nullptr && command.kernel->max_group != 0) {
    largest = command.kernel->max_group;
  }
  if (largest != 0 && product(launch.group_size) > largest) {
    wrongLaunch(call, NXS_InvalidWorkGroupSize,
                words("group_size is ", text(launch.group_size), ", and a group has ", largest,
                      " items at most"));
  }
  uint64_t local = launch.local_memory;
  for (const auto &[index, argument] : command.arguments) {
    if (argument.kind == NXS_ArgumentKind_LocalMemory &&
        __builtin_add_overflow(local, argument.size, &local)) {
      local = UINT64_MAX;
    }
  }
  if (device.max_local != 0 && local > device.max_local) {
    call.find(Message::LocalMemory, NXS_OutOfResources,
              words("a group needs ", local, " bytes of local memory, and has ", device.max_local));
  }
}

Access accessOf(std::string_view declaration) {
  const std::optional<bool> constant = pointsToConst(declaration);
  if (!constant) return Access::Unknown;
  return *constant ? Access::Read : Access::Write;
}

}  // namespace nexus::core::layers::validation
