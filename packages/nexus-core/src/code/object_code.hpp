// SPDX-License-Identifier: Apache-2.0
//
// A compiled program: its bytes and what is known of them.
#pragma once

#include <nexus/nexus_c.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "object/object.hpp"

namespace nexus::core {

/// What a compiler made of a program. Shared by the caches and the objects given out.
struct CodeContents {
  std::string name;     // the program's
  std::string runtime;  // the backend
  std::string target;   // the architecture, spelled out
  std::string format;
  std::string code;
  std::string log;
  std::string flags;    // a JSON list
  std::string kernels;  // a JSON list; empty where the code could not be loaded to look at it
};

/// The contents as bytes that readObjectCode takes: a head, the code, a checksum.
std::string writeObjectCode(const CodeContents &contents);

/// Throws NXS_InvalidBinary where the bytes are no object code, are cut short or were changed.
CodeContents readObjectCode(std::string_view bytes);

/// Object code as callers have it. Data only, so that it serves in the child of a fork() too.
class ObjectCode final : public Object {
 public:
  static constexpr nxs_object_type kType = NXS_ObjectType_ObjectCode;

  ObjectCode(std::shared_ptr<const CodeContents> contents, nexus_code_origin origin)
      : Object(kType), contents_(std::move(contents)), origin_(origin) {}

  const CodeContents &contents() const noexcept { return *contents_; }
  nexus_code_origin origin() const noexcept { return origin_; }

  std::optional<json::Value> property(std::string_view name, nxs_property number) override;
  std::vector<std::string> propertyKeys() override;

 private:
  std::optional<json::Value> kernelNames() const;

  const std::shared_ptr<const CodeContents> contents_;
  const nexus_code_origin origin_;
};

}  // namespace nexus::core
