// SPDX-License-Identifier: Apache-2.0
#include "fibers/context.hpp"

// Ends in a jump, not a return: the processor predicts that a return goes back to the latest call,
// which is wrong if the next item waits at another barrier than this one passed. A jump is
// predicted to go where it went before, and the items of a group go to the same place one after the
// other.
#if defined(NEXUS_CPU_CONTEXT_X86_HPP_)
#if defined(__APPLE__)
#define NEXUS_CPU_SWITCH "_nexus_cpu_switch_context"
#define NEXUS_CPU_SWITCH_IS ".private_extern " NEXUS_CPU_SWITCH "\n"
#define NEXUS_CPU_SWITCH_ENDS
#else
#define NEXUS_CPU_SWITCH "nexus_cpu_switch_context"
#define NEXUS_CPU_SWITCH_IS ".hidden " NEXUS_CPU_SWITCH "\n.type " NEXUS_CPU_SWITCH ", @function\n"
#define NEXUS_CPU_SWITCH_ENDS ".size " NEXUS_CPU_SWITCH ", .-" NEXUS_CPU_SWITCH "\n"
#endif

asm(".text\n"
    ".p2align 5\n"
    ".globl " NEXUS_CPU_SWITCH "\n" NEXUS_CPU_SWITCH_IS NEXUS_CPU_SWITCH
    ":\n"
    ".cfi_startproc\n"
    "pushq %rbp\n"
    ".cfi_adjust_cfa_offset 8\n"
    "pushq %rbx\n"
    ".cfi_adjust_cfa_offset 8\n"
    "pushq %r12\n"
    ".cfi_adjust_cfa_offset 8\n"
    "pushq %r13\n"
    ".cfi_adjust_cfa_offset 8\n"
    "pushq %r14\n"
    ".cfi_adjust_cfa_offset 8\n"
    "pushq %r15\n"
    ".cfi_adjust_cfa_offset 8\n"
    "movq %rsp, (%rdi)\n"
    "movq (%rsi), %rsp\n"
    "popq %r15\n"
    ".cfi_adjust_cfa_offset -8\n"
    "popq %r14\n"
    ".cfi_adjust_cfa_offset -8\n"
    "popq %r13\n"
    ".cfi_adjust_cfa_offset -8\n"
    "popq %r12\n"
    ".cfi_adjust_cfa_offset -8\n"
    "popq %rbx\n"
    ".cfi_adjust_cfa_offset -8\n"
    "popq %rbp\n"
    ".cfi_adjust_cfa_offset -8\n"
    "popq %rcx\n"
    ".cfi_adjust_cfa_offset -8\n"
    "movq %rsi, %rdi\n"  // the argument of a function that starts here
    "notrack jmpq *%rcx\n"
    ".cfi_endproc\n" NEXUS_CPU_SWITCH_ENDS);
#endif
