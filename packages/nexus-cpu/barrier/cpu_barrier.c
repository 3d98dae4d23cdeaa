/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The symbol that kernels with the plain C convention call to synchronise the work
 * items of a group. It is in a library of its own, visible to all, because the
 * plug-in shows nothing but nxsQueryPlugin.
 *
 * barrier is the kernel's last argument: it points to a struct of the plug-in's
 * that begins with the function to call.
 */
__attribute__((visibility("default"))) void _cpu_barrier(void *barrier);

void _cpu_barrier(void *barrier) {
  void (*const *reached)(void *) = (void (*const *)(void *))barrier;
  if (reached != 0) (*reached)(barrier);
}
