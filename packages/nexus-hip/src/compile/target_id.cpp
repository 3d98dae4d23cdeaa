// SPDX-License-Identifier: Apache-2.0
#include "compile/target_id.hpp"

#include <algorithm>
#include <nexus-plugin/base/text.hpp>
#include <vector>

namespace nexus_hip NXS_HIDDEN {
namespace {

// The processors of each family that code is compiled for once: "User Guide for AMDGPU Backend" of
// LLVM 20, section "Generic Processors".
struct Family {
  std::string_view name, members;
};
constexpr Family kFamilies[] = {
    {"gfx9-generic", "gfx900:gfx902:gfx904:gfx906:gfx909:gfx90c"},
    {"gfx9-4-generic", "gfx940:gfx941:gfx942:gfx950"},
    {"gfx10-1-generic", "gfx1010:gfx1011:gfx1012:gfx1013"},
    {"gfx10-3-generic", "gfx1030:gfx1031:gfx1032:gfx1033:gfx1034:gfx1035:gfx1036"},
    {"gfx11-generic", "gfx1100:gfx1101:gfx1102:gfx1103:gfx1150:gfx1151:gfx1152:gfx1153"},
    {"gfx12-generic", "gfx1200:gfx1201"}};

bool is_member(std::string_view family, const std::string &processor) {
  for (const Family &each : kFamilies) {
    if (each.name != family) continue;
    const auto members = nexus_plugin::split(each.members, ':');
    return std::find(members.begin(), members.end(), processor) != members.end();
  }
  return false;
}

bool is_processor(std::string_view text) {
  constexpr std::string_view kLetters = "0123456789abcdefghijklmnopqrstuvwxyz-";
  return text.size() > 3 && text.starts_with("gfx") &&
         text.find_first_not_of(kLetters) == std::string_view::npos;
}

std::string feature_name(const char *name, std::optional<bool> on) {
  return on ? nexus_plugin::join(":", name, *on ? "+" : "-") : std::string();
}

bool suits(std::optional<bool> wanted, std::optional<bool> has) {
  return !wanted || !has || *wanted == *has;
}

}  // namespace

std::string TargetId::name() const {
  return processor + feature_name("sramecc", sramecc) + feature_name("xnack", xnack);
}

bool TargetId::runs_on(const TargetId &device) const {
  return (processor == device.processor || is_member(processor, device.processor)) &&
         suits(sramecc, device.sramecc) && suits(xnack, device.xnack);
}

std::optional<TargetId> read_target_id(std::string_view text) {
  const std::string_view processor = text.substr(0, text.find(':'));
  TargetId made{std::string(processor), {}, {}};
  if (!is_processor(processor)) return std::nullopt;
  for (const std::string &feature : nexus_plugin::split(text.substr(processor.size()), ':')) {
    const bool on = feature.ends_with('+');
    const std::string_view name = std::string_view(feature).substr(0, feature.size() - 1);
    if (!on && !feature.ends_with('-')) return std::nullopt;
    if (name != "sramecc" && name != "xnack") return std::nullopt;
    (name == "xnack" ? made.xnack : made.sramecc) = on;
  }
  return made;
}

}  // namespace nexus_hip
