/* SPDX-License-Identifier: Apache-2.0 */
/* Ends the process that asks it. */
#define NAME "faulting"
#include <signal.h>

#include "base.h"

static nxs_status answer(const nxs_host *host, nxs_plugin *plugin) {
  raise(SIGSEGV);
  return NXS_Success;
}
