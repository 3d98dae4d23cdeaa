// SPDX-License-Identifier: Apache-2.0
#include "checks/launch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "base/data_type.hpp"
#include "base/error.hpp"

namespace nexus::core {

namespace {

const char *kindWords(nxs_argument_kind kind) {
  switch (kind) {
    case NXS_ArgumentKind_Buffer:
      return "a buffer";
    case NXS_ArgumentKind_Scalar:
      return "a scalar";
    case NXS_ArgumentKind_Unknown:
      return "a buffer or a scalar";
    default:
      return "local memory";
  }
}

std::string ofKernel(const KernelInfo &kernel) {
  return " of the kernel '" + kernel.name + "'";
}

std::string typed(uint64_t size, nxs_data_type type) {
  const std::string bytes = counted(size, "byte");
  return type == NXS_DataType_Undefined ? bytes : bytes + " of " + dataTypeName(type);
}

bool isInteger(nxs_data_type type) {
  return numberKind(type) == NumberKind::Signed || numberKind(type) == NumberKind::Unsigned;
}

bool hasHighestBit(const nxs_argument &argument) {
  const auto *bytes = static_cast<const unsigned char *>(argument.data);
  return (bytes[argument.size - 1] & 0x80U) != 0;  // all hosts are little-endian
}

// Returns whether both are integers of one width that differ in sign: they share the numbers
// without the highest bit.
bool differInSign(nxs_data_type wanted, const nxs_argument &given) {
  return wanted != given.data_type && isInteger(wanted) && isInteger(given.data_type) &&
         dataTypeBits(wanted) == dataTypeBits(given.data_type) &&
         dataTypeBits(wanted) == given.size * 8;
}

// Returns whether elements of a type are those of the parameter's, such as complex numbers for a
// vector of two floats.
bool isSameType(nxs_data_type wanted, nxs_data_type given) {
  return wanted == given || wanted == NXS_DataType_Undefined || given == NXS_DataType_Undefined ||
         (wanted == NXS_DataType_F32 && given == NXS_DataType_C64) ||
         (wanted == NXS_DataType_F64 && given == NXS_DataType_C128);
}

// Returns whether the bytes mean the same number in the parameter's type.
bool isSameNumber(nxs_data_type wanted, const nxs_argument &given) {
  return isSameType(wanted, given.data_type) ||
         (differInSign(wanted, given) && !hasHighestBit(given));
}

std::string integerText(const nxs_argument &argument) {
  const bool negative =
      numberKind(argument.data_type) == NumberKind::Signed && hasHighestBit(argument);
  uint64_t bits = negative ? UINT64_MAX : 0;
  std::memcpy(&bits, argument.data, static_cast<std::size_t>(argument.size));
  return negative ? std::to_string(static_cast<int64_t>(bits)) : std::to_string(bits);
}

void checkScalar(const KernelInfo &kernel, uint32_t index, const ArgumentInfo &info,
                 const nxs_argument &argument) {
  const bool same_size = info.size == 0 || info.size == argument.size;
  if (same_size && isSameNumber(info.data_type, argument)) return;
  const std::string subject = info.text(index) + ofKernel(kernel) + " is a scalar of ";
  if (same_size && differInSign(info.data_type, argument)) {
    failWith(NXS_InvalidArgValue, subject, dataTypeName(info.data_type), ", which can't hold ",
             integerText(argument), "; give a value in its range.");
  }
  failWith(same_size ? NXS_InvalidArgValue : NXS_InvalidArgSize, subject,
           typed(info.size, info.data_type), ", and ", typed(argument.size, argument.data_type),
           " were given; convert the value.");
}

// Throws if the elements of a buffer have another type than the parameter's. A buffer without a
// data type holds bytes, which fit any parameter.
void checkElements(const KernelInfo &kernel, uint32_t index, const ArgumentInfo &info,
                   const nxs_argument &argument, Given given) {
  if (isSameType(info.data_type, argument.data_type)) return;
  const std::string wanted = dataTypeName(info.data_type);
  const bool array = given.host_memory;
  failWith(NXS_InvalidArgValue, info.text(index), ofKernel(kernel), " points to ", wanted,
           array ? ", and the array has elements of " : ", and the buffer has elements of ",
           dataTypeName(argument.data_type), "; convert it with astype('", wanted,
           array ? "')." : "'), or reinterpret its bytes with view('" + wanted + "').");
}

// Throws for a read-only buffer that the kernel writes, or may write if it does not say.
void checkAccess(const KernelInfo &kernel, uint32_t index) {
  const ArgumentInfo info = kernel.arguments ? (*kernel.arguments)[index] : ArgumentInfo{};
  const std::optional<bool> constant = pointsToConst(info.type);
  if (constant.value_or(false)) return;
  failWith(NXS_InvalidArgValue, info.text(index), ofKernel(kernel),
           (constant ? " is '" + info.type + "'" : " has no known type"),
           ", so the kernel may write to it, and the buffer is read-only; give a copy of the "
           "buffer",
           (constant ? ", or declare the parameter as a pointer to const." : "."));
}

}  // namespace

std::string ArgumentInfo::text(uint32_t index) const {
  return "argument " + std::to_string(index) + (name.empty() ? "" : ", '" + name + "',");
}

// Throws NXS_InvalidArgIndex for an argument that a described kernel does not have, or beyond the
// last that a command can have, since a given argument can't be removed again.
static void checkArgumentIndex(const KernelInfo &kernel, uint32_t index) {
  if (index >= kMaxArguments) {
    failWith(NXS_InvalidArgIndex, "index is ", index, "; a command has the arguments 0 to ",
             kMaxArguments - 1, ".");
  }
  if (const auto count = kernel.argument_count; count && index >= *count) {
    failWith(NXS_InvalidArgIndex, "index is ", index, ": the kernel '", kernel.name, "' has ",
             counted(*count, "argument"), ", counted from 0.");
  }
}

void checkArgument(const KernelInfo &kernel, uint32_t index, const nxs_argument &argument,
                   Given given) {
  checkArgumentIndex(kernel, index);
  if (given.read_only) checkAccess(kernel, index);
  if (!kernel.arguments) return;
  const ArgumentInfo &info = (*kernel.arguments)[index];
  const bool fits = info.kind == NXS_ArgumentKind_Unknown
                        ? argument.kind != NXS_ArgumentKind_LocalMemory
                        : argument.kind == info.kind;
  if (!fits) {
    failWith(NXS_InvalidArgValue, info.text(index), ofKernel(kernel), " is ", kindWords(info.kind),
             ", and ", kindWords(argument.kind), " was given.");
  }
  if (argument.kind == NXS_ArgumentKind_Scalar) {
    checkScalar(kernel, index, info, argument);
  } else if (argument.kind == NXS_ArgumentKind_Buffer) {
    checkElements(kernel, index, info, argument, given);
  }
}

void refuseMissing(const KernelInfo &kernel, uint32_t index) {
  const ArgumentInfo info = kernel.arguments ? (*kernel.arguments)[index] : ArgumentInfo{};
  const std::string kind =
      kernel.arguments ? std::string(", ") + kindWords(info.kind) + "," : std::string();
  failWith(NXS_InvalidKernelArgs, info.text(index), ofKernel(kernel), kind,
           " was not given; set it before finalize.");
}

namespace {

bool isUnset(const uint64_t (&counts)[3]) {
  return counts[0] == 0 && counts[1] == 0 && counts[2] == 0;
}

// Throws if a count is 0.
void requirePositive(const uint64_t (&counts)[3], const char *parameter, nxs_status status) {
  for (const uint64_t count : counts) {
    if (count == 0) {
      failWith(status, parameter, " is ", countsText(countsOf(counts)),
               "; each length must be at least 1, also in an unused dimension.");
    }
  }
}

// Returns the product of the counts. Throws if it exceeds 64 bits.
uint64_t product(const uint64_t (&counts)[3], const char *parameter, nxs_status status) {
  if (contains(counts, 0)) return 0;
  uint64_t all = 1;
  for (const uint64_t count : counts) {
    if (__builtin_mul_overflow(all, count, &all)) {
      failWith(status, parameter, " is ", countsText(countsOf(counts)),
               ", more work items than 64 bits can count; make it smaller.");
    }
  }
  return all;
}

void checkGroupSize(const uint64_t (&group_size)[3], const KernelInfo &kernel) {
  requirePositive(group_size, "group_size", NXS_InvalidWorkGroupSize);
  const Counts &required = kernel.required_group_size;
  if (required[0] != 0 && countsOf(group_size) != required) {
    failWith(NXS_InvalidWorkGroupSize, "group_size is ", countsText(countsOf(group_size)),
             ", and the kernel '", kernel.name, "' was written for groups of ",
             countsText(required), "; give that, or leave group_size out.");
  }
  const uint64_t items = product(group_size, "group_size", NXS_InvalidWorkGroupSize);
  if (items > kernel.max_group_size) {
    failWith(NXS_InvalidWorkGroupSize, "group_size is ", countsText(countsOf(group_size)),
             ", which is ", items, " work items, and the kernel '", kernel.name,
             "' allows at most ", kernel.max_group_size, " in a group on '", kernel.device,
             "'; make the groups smaller, or leave group_size out.");
  }
}

// Throws if the backend does not support an option, which it would ignore in silence.
void requireOption(const KernelInfo &kernel, nxs_capability capability, const std::string &given,
                   const char *property) {
  if ((kernel.capabilities & capability) != 0) return;
  failWith(NXS_NotSupported, given, ", and the backend of '", kernel.device,
           "' has no such launches; leave it out, or take a device whose property ", property,
           " is 1.");
}

void checkFlags(nxs_launch_flags flags, const KernelInfo &kernel) {
  constexpr uint64_t known = NXS_LaunchFlags_Cooperative | NXS_LaunchFlags_Programmatic;
  if ((flags & ~known) != 0) {
    failWith(NXS_InvalidValue, "flags is ", flags,
             ", which has unknown bits; give NXS_LaunchFlags_* bits.");
  }
  if ((flags & NXS_LaunchFlags_Cooperative) != 0) {
    requireOption(kernel, NXS_Capability_CooperativeLaunch, "cooperative_launch is true",
                  "CooperativeLaunch");
  }
  if ((flags & NXS_LaunchFlags_Programmatic) != 0) {
    requireOption(kernel, NXS_Capability_ProgrammaticLaunch, "programmatic_launch is true",
                  "ProgrammaticLaunch");
  }
}

// Returns the clusters that are asked for, else those that the kernel requires, else zeros.
Counts clusterSize(const nexus_launch_desc &desc, const KernelInfo &kernel) {
  if (isUnset(desc.cluster_size)) return kernel.required_cluster_size;
  const Counts given = countsOf(desc.cluster_size);
  requireOption(kernel, NXS_Capability_ClusterLaunch, "cluster_size is " + countsText(given),
                "ClusterLaunch");
  requirePositive(desc.cluster_size, "cluster_size", NXS_InvalidWorkGroupSize);
  return given;
}

// Returns the number of groups, in whole clusters, that cover the items.
uint64_t groupsFor(uint64_t items, uint64_t group, uint64_t cluster) {
  if (items == 0) return 0;
  const uint64_t groups = (items - 1) / group + 1;
  if (cluster == 0) return groups;
  uint64_t whole = 0;
  if (__builtin_add_overflow((groups - 1) / cluster * cluster, cluster, &whole)) {
    failWith(NXS_InvalidGlobalWorkSize, "grid_size has ", items,
             " work items in a dimension, and whole clusters over them exceed 64 bits; make it "
             "smaller.");
  }
  return whole;
}

void requireWholeClusters(const uint64_t (&group_count)[3], const Counts &cluster) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (cluster[i] == 0 || group_count[i] % cluster[i] == 0) continue;
    failWith(NXS_InvalidGlobalWorkSize, "group_count is ", countsText(countsOf(group_count)),
             ", not a multiple of the cluster size ", countsText(cluster),
             "; give multiples, or grid_size instead.");
  }
}

}  // namespace

std::string countsText(const Counts &counts) {
  return "(" + std::to_string(counts[0]) + ", " + std::to_string(counts[1]) + ", " +
         std::to_string(counts[2]) + ")";
}

nexus_launch_desc readLaunch(const nexus_launch_desc *given) {
  // The size of the struct's first version. Later members are read if the caller's struct has them.
  constexpr uint64_t first =
      offsetof(nexus_launch_desc, local_memory) + sizeof(nexus_launch_desc::local_memory);
  requirePointer(given, "desc");
  requireSize(given->struct_size, first, "desc", "nexus_launch_desc");
  nexus_launch_desc desc{};
  std::memcpy(&desc, given, std::min<uint64_t>(given->struct_size, sizeof(desc)));
  return desc;
}

bool looksExchanged(const nexus_launch_desc &desc) noexcept {
  constexpr uint64_t warp = 32;  // a grid of another size just has few work items
  const auto items = [](const uint64_t (&size)[3]) { return size[0] * size[1] * size[2]; };
  const uint64_t grid = items(desc.grid_size);
  return grid != 0 && grid % warp == 0 && grid < items(desc.group_size);
}

nxs_launch launchOfGroup(const nexus_launch_desc &desc, const KernelInfo &kernel) {
  nxs_launch launch{};
  launch.struct_size = sizeof(launch);
  launch.local_memory = desc.local_memory;
  if (!isUnset(desc.group_size)) checkGroupSize(desc.group_size, kernel);
  const Counts cluster = clusterSize(desc, kernel);
  std::copy_n(desc.group_size, 3, launch.group_size);
  std::copy_n(cluster.begin(), 3, launch.cluster_size);
  return launch;
}

nxs_launch completeLaunch(const nexus_launch_desc &desc, const KernelInfo &kernel) {
  nxs_launch launch{};
  launch.struct_size = sizeof(launch);
  launch.local_memory = desc.local_memory;
  checkFlags(desc.flags, kernel);
  launch.flags = desc.flags;
  const Counts cluster = clusterSize(desc, kernel);
  const bool by_count = !isUnset(desc.group_count);
  if (by_count != isUnset(desc.grid_size)) {
    failWith(NXS_InvalidGlobalWorkSize,
             by_count ? "grid_size and group_count are both given; give one of them."
                      : "grid_size is " + countsText(countsOf(desc.grid_size)) +
                            "; give the work items to run, or group_count. For an empty grid "
                            "give (0, 1, 1).");
  }
  const bool chosen_by_backend = isUnset(desc.group_size);
  if (!chosen_by_backend) {
    checkGroupSize(desc.group_size, kernel);
  } else if (by_count) {
    failWith(NXS_InvalidWorkGroupSize,
             "group_count is given without group_size; give group_size too, or grid_size "
             "instead.");
  }
  if (by_count) {
    requireWholeClusters(desc.group_count, cluster);
  } else {
    product(desc.grid_size, "grid_size", NXS_InvalidGlobalWorkSize);
  }
  for (std::size_t i = 0; i < 3; ++i) {
    const uint64_t group = desc.group_size[i];
    launch.group_size[i] = group;
    launch.cluster_size[i] = cluster[i];
    if (by_count) {
      launch.group_count[i] = desc.group_count[i];
      if (__builtin_mul_overflow(group, desc.group_count[i], &launch.grid_size[i])) {
        failWith(NXS_InvalidGlobalWorkSize, "group_count is ",
                 countsText(countsOf(desc.group_count)),
                 ", more work items than 64 bits can count; make it smaller.");
      }
    } else {
      launch.grid_size[i] = desc.grid_size[i];
      launch.group_count[i] =
          chosen_by_backend ? 0 : groupsFor(desc.grid_size[i], group, cluster[i]);
    }
  }
  product(launch.grid_size, by_count ? "group_count x group_size" : "grid_size",
          NXS_InvalidGlobalWorkSize);
  return launch;
}

}  // namespace nexus::core
