// SPDX-License-Identifier: Apache-2.0
//
// What a call is given, by the names that nxs_functions.def has for it: so one check serves all
// functions that have such a parameter.
#pragma once

#include <nexus-api/nxs.h>

namespace nexus::core::layers::validation {

/// 0 and NULL where a function has no such parameter.
struct Given {
  nxs_id device = 0, buffer = 0, library = 0, kernel = 0, stream = 0, event = 0, end_event = 0,
         schedule = 0, nested = 0, command = 0;
  uint64_t size = 0, offset = 0, handle = 0, pattern_size = 0, settings = 0, access = 0, ticket = 0,
           timeout = 0;
  uint32_t index = 0;
  int32_t priority = 0;
  const void *host_ptr = nullptr, *data = nullptr, *pointer = nullptr, *pattern = nullptr;
  const nxs_string *name = nullptr;  // or a path
  const nxs_buffer_range *range = nullptr, *destination = nullptr, *source = nullptr;
  const nxs_argument *argument = nullptr;
  const nxs_launch *launch = nullptr;

  // Results.
  nxs_object_type makes = 0;  // the type of the object that it makes; 0: none
  const nxs_id *made = nullptr;
  const nxs_ticket *out_ticket = nullptr;
  const nxs_completion *completion = nullptr;
  const double *nanoseconds = nullptr;
  void *const *mapped = nullptr;
};

}  // namespace nexus::core::layers::validation
