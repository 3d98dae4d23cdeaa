// SPDX-License-Identifier: Apache-2.0
//
// A compiled program: its bytes and its description.
#pragma once

#include <nexus/nexus_c.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "object/object.hpp"

namespace nexus::core {

/// The result of compiling a program. Shared by the caches and the objects given out.
struct CodeContents {
  std::string name;     // the program's
  std::string runtime;  // the backend
  std::string target;   // the architecture's full name
  std::string format;
  std::string code;
  std::string log;
  std::string flags;    // a JSON list
  std::string kernels;  // a JSON list; empty if the code can't be loaded on this machine
};

/// Returns the contents in the format of readObjectCode(): a head, the code, a checksum.
std::string writeObjectCode(const CodeContents &contents);

/// Throws NXS_InvalidBinary if the bytes are not object code, are cut short or were changed.
CodeContents readObjectCode(std::string_view bytes);

/// Object code as an object for callers. Only data, so it also works in the child of a fork().
class ObjectCode final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_ObjectCode;

  ObjectCode(std::shared_ptr<const CodeContents> contents, nexus_code_origin origin)
      : Object(kType), contents_(std::move(contents)), origin_(origin) {}

  const CodeContents &contents() const noexcept { return *contents_; }
  const std::shared_ptr<const CodeContents> &sharedContents() const noexcept { return contents_; }
  nexus_code_origin origin() const noexcept { return origin_; }

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  std::optional<json::Value> kernelNames() const;

  const std::shared_ptr<const CodeContents> contents_;
  const nexus_code_origin origin_;
};

}  // namespace nexus::core
