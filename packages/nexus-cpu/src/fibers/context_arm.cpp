// SPDX-License-Identifier: Apache-2.0
#include "fibers/context.hpp"

// Ends in a return: with branch target identification (BTI), a jump may not land behind a call. x18
// is reserved by the platform.
#if defined(NEXUS_CPU_CONTEXT_ARM_HPP_)
#if defined(__APPLE__)
#define NEXUS_CPU_SWITCH "_nexus_cpu_switch_context"
#define NEXUS_CPU_SWITCH_IS ".private_extern " NEXUS_CPU_SWITCH "\n"
#define NEXUS_CPU_SWITCH_ENDS
#else
#define NEXUS_CPU_SWITCH "nexus_cpu_switch_context"
#define NEXUS_CPU_SWITCH_IS ".hidden " NEXUS_CPU_SWITCH "\n.type " NEXUS_CPU_SWITCH ", %function\n"
#define NEXUS_CPU_SWITCH_ENDS ".size " NEXUS_CPU_SWITCH ", .-" NEXUS_CPU_SWITCH "\n"
#endif

asm(".text\n"
    ".p2align 5\n"
    ".globl " NEXUS_CPU_SWITCH "\n" NEXUS_CPU_SWITCH_IS NEXUS_CPU_SWITCH
    ":\n"
    ".cfi_startproc\n"
    "hint #34\n"  // bti c
    "sub sp, sp, #160\n"
    ".cfi_adjust_cfa_offset 160\n"
    "stp d8, d9, [sp, #0]\n"
    "stp d10, d11, [sp, #16]\n"
    "stp d12, d13, [sp, #32]\n"
    "stp d14, d15, [sp, #48]\n"
    "stp x19, x20, [sp, #64]\n"
    "stp x21, x22, [sp, #80]\n"
    "stp x23, x24, [sp, #96]\n"
    "stp x25, x26, [sp, #112]\n"
    "stp x27, x28, [sp, #128]\n"
    "stp x29, x30, [sp, #144]\n"
    "mov x9, sp\n"
    "str x9, [x0]\n"
    "ldr x9, [x1]\n"
    "mov sp, x9\n"
    "ldp d8, d9, [sp, #0]\n"
    "ldp d10, d11, [sp, #16]\n"
    "ldp d12, d13, [sp, #32]\n"
    "ldp d14, d15, [sp, #48]\n"
    "ldp x19, x20, [sp, #64]\n"
    "ldp x21, x22, [sp, #80]\n"
    "ldp x23, x24, [sp, #96]\n"
    "ldp x25, x26, [sp, #112]\n"
    "ldp x27, x28, [sp, #128]\n"
    "ldp x29, x9, [sp, #144]\n"
    "add sp, sp, #160\n"
    ".cfi_adjust_cfa_offset -160\n"
    "mov x0, x1\n"    // the argument of a function that starts here,
    "mov x30, xzr\n"  // which has nowhere to return to
    "ret x9\n"
    ".cfi_endproc\n" NEXUS_CPU_SWITCH_ENDS);
#endif
