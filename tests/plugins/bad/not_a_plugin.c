/* SPDX-License-Identifier: Apache-2.0 */
/* A library without nxsQueryPlugin. */
int acme_answer(void);
int acme_answer(void) {
  return 42;
}
