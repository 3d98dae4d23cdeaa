// SPDX-License-Identifier: Apache-2.0
//
// The parameters of the functions by type and name, which the layers share.
#pragma once

#include "layers/calls_text.hpp"
