// SPDX-License-Identifier: Apache-2.0
#include "fibers/context.hpp"

#if defined(__APPLE__)
#define NEXUS_CPU_SWITCH "_nexus_cpu_switch_context"
#define NEXUS_CPU_BEGIN ".private_extern " NEXUS_CPU_SWITCH "\n" NEXUS_CPU_SWITCH ":\n"
#define NEXUS_CPU_END
#else
#define NEXUS_CPU_SWITCH "nexus_cpu_switch_context"
#define NEXUS_CPU_BEGIN \
  ".hidden " NEXUS_CPU_SWITCH "\n.type " NEXUS_CPU_SWITCH ", %function\n" NEXUS_CPU_SWITCH ":\n"
#define NEXUS_CPU_END ".size " NEXUS_CPU_SWITCH ", .-" NEXUS_CPU_SWITCH "\n"
#endif

#if defined(NEXUS_CPU_CONTEXT_X86)

#define NEXUS_CPU_PUSH(name) "pushq %" name "\n.cfi_adjust_cfa_offset 8\n"
#define NEXUS_CPU_POP(name) "popq %" name "\n.cfi_adjust_cfa_offset -8\n"

// Ends in a jump, not a return: the processor predicts that a return goes back to the latest call,
// which is wrong if the next item waits at another barrier than this one passed. A jump is
// predicted to go where it went before, and the items of a group go to the same place one after the
// other.
asm(".text\n.p2align 5\n.globl " NEXUS_CPU_SWITCH "\n" NEXUS_CPU_BEGIN
    ".cfi_startproc\n" NEXUS_CPU_PUSH("rbp") NEXUS_CPU_PUSH("rbx") NEXUS_CPU_PUSH("r12")
        NEXUS_CPU_PUSH("r13") NEXUS_CPU_PUSH("r14") NEXUS_CPU_PUSH("r15")
    "movq %rsp, (%rdi)\n"
    "movq (%rsi), %rsp\n" NEXUS_CPU_POP("r15") NEXUS_CPU_POP("r14") NEXUS_CPU_POP("r13")
        NEXUS_CPU_POP("r12") NEXUS_CPU_POP("rbx") NEXUS_CPU_POP("rbp") NEXUS_CPU_POP("rcx")
    "movq %rsi, %rdi\n"  // the argument of a function that starts here
    "notrack jmpq *%rcx\n"
    ".cfi_endproc\n" NEXUS_CPU_END);

#elif defined(NEXUS_CPU_CONTEXT_ARM)

// Does the same with all registers that the callee keeps: "stp" saves them, "ldp" loads them.
#define NEXUS_CPU_PAIRS(move)                                                                    \
  move " d8, d9, [sp, #0]\n" move " d10, d11, [sp, #16]\n" move " d12, d13, [sp, #32]\n" move    \
       " d14, d15, [sp, #48]\n" move " x19, x20, [sp, #64]\n" move " x21, x22, [sp, #80]\n" move \
       " x23, x24, [sp, #96]\n" move " x25, x26, [sp, #112]\n" move " x27, x28, [sp, #128]\n"

// Ends in a return: with branch target identification (BTI), a jump may not land behind a call. x18
// is reserved by the platform.
asm(".text\n.p2align 5\n.globl " NEXUS_CPU_SWITCH "\n" NEXUS_CPU_BEGIN
    ".cfi_startproc\n"
    "hint #34\n"  // bti c
    "sub sp, sp, #160\n"
    ".cfi_adjust_cfa_offset 160\n" NEXUS_CPU_PAIRS("stp")
    "stp x29, x30, [sp, #144]\n"
    "mov x9, sp\n"
    "str x9, [x0]\n"
    "ldr x9, [x1]\n"
    "mov sp, x9\n" NEXUS_CPU_PAIRS("ldp")
    "ldp x29, x9, [sp, #144]\n"
    "add sp, sp, #160\n"
    ".cfi_adjust_cfa_offset -160\n"
    "mov x0, x1\n"    // the argument of a function that starts here,
    "mov x30, xzr\n"  // which has nowhere to return to
    "ret x9\n"
    ".cfi_endproc\n" NEXUS_CPU_END);

#endif
