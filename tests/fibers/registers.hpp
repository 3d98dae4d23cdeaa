// SPDX-License-Identifier: Apache-2.0
//
//   registers_changed(seed, call, context)
//
// Fills every register that a function has to keep, and the modes of floating point, with what
// follows from seed, calls call(context), and returns how many of them are no longer the same.
#pragma once

#include <cstdint>

#if defined(__APPLE__)
#define SYMBOL(name) "_" name
#else
#define SYMBOL(name) name
#endif

#if defined(__x86_64__) || defined(__aarch64__)

extern "C" uint64_t registers_changed(uint64_t seed, void (*call)(void *), void *context);

#endif

#if defined(__x86_64__)
// On the stack: the modes to set and those found, then the seed.
asm(".text\n"
    ".globl " SYMBOL("registers_changed") "\n" SYMBOL("registers_changed") ":\n"
    "pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
    "subq $40, %rsp\n"
    "stmxcsr 24(%rsp)\n fnstcw 28(%rsp)\n"
    "movq %rdi, 0(%rsp)\n"
    // Rounding: two bits of the seed.
    "movl %edi, %eax\n andl $3, %eax\n"
    "movl %eax, %ecx\n shll $13, %ecx\n orl $0x1f80, %ecx\n movl %ecx, 8(%rsp)\n"
    "movl %eax, %ecx\n shll $10, %ecx\n orl $0x037f, %ecx\n movw %cx, 12(%rsp)\n"
    "ldmxcsr 8(%rsp)\n fldcw 12(%rsp)\n"
    "leaq 1(%rdi), %rbp\n leaq 2(%rdi), %rbx\n leaq 3(%rdi), %r12\n"
    "leaq 4(%rdi), %r13\n leaq 5(%rdi), %r14\n leaq 6(%rdi), %r15\n"
    "movq %rdx, %rdi\n"
    "callq *%rsi\n"
    "movq 0(%rsp), %rdi\n xorl %eax, %eax\n"
    "leaq 1(%rdi), %rcx\n cmpq %rcx, %rbp\n setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "leaq 2(%rdi), %rcx\n cmpq %rcx, %rbx\n setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "leaq 3(%rdi), %rcx\n cmpq %rcx, %r12\n setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "leaq 4(%rdi), %rcx\n cmpq %rcx, %r13\n setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "leaq 5(%rdi), %rcx\n cmpq %rcx, %r14\n setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "leaq 6(%rdi), %rcx\n cmpq %rcx, %r15\n setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "stmxcsr 16(%rsp)\n movl 16(%rsp), %ecx\n xorl 8(%rsp), %ecx\n andl $~0x3f, %ecx\n"
    "setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "fnstcw 20(%rsp)\n movw 20(%rsp), %cx\n cmpw 12(%rsp), %cx\n"
    "setne %dl\n movzbl %dl, %edx\n addq %rdx, %rax\n"
    "ldmxcsr 24(%rsp)\n fldcw 28(%rsp)\n"
    "addq $40, %rsp\n"
    "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n"
    "ret\n");
#elif defined(__aarch64__)
#define FILL(n, k) "add x" #n ", x0, #" #k "\n"
#define FILL_FLOAT(n, k) "add x9, x0, #" #k "\n fmov d" #n ", x9\n"
#define COUNT(n, k) "add x9, x0, #" #k "\n cmp x" #n ", x9\n cinc x10, x10, ne\n"
#define COUNT_FLOAT(n, k) \
  "add x9, x0, #" #k "\n fmov x11, d" #n "\n cmp x11, x9\n cinc x10, x10, ne\n"
asm(".text\n"
    ".globl " SYMBOL("registers_changed") "\n" SYMBOL("registers_changed") ":\n"
    "stp x29, x30, [sp, #-192]!\n"
    "stp x19, x20, [sp, #16]\n stp x21, x22, [sp, #32]\n stp x23, x24, [sp, #48]\n"
    "stp x25, x26, [sp, #64]\n stp x27, x28, [sp, #80]\n stp d8, d9, [sp, #96]\n"
    "stp d10, d11, [sp, #112]\n stp d12, d13, [sp, #128]\n stp d14, d15, [sp, #144]\n"
    "mrs x9, fpcr\n str x9, [sp, #160]\n str x0, [sp, #168]\n"
    "and x9, x0, #3\n lsl x9, x9, #22\n str x9, [sp, #176]\n msr fpcr, x9\n"  // rounding
    FILL(19, 1) FILL(20, 2) FILL(21, 3) FILL(22, 4) FILL(23, 5) FILL(24, 6) FILL(25, 7) FILL(26, 8)
    FILL(27, 9) FILL(28, 10) FILL(29, 11)
    FILL_FLOAT(8, 12) FILL_FLOAT(9, 13) FILL_FLOAT(10, 14) FILL_FLOAT(11, 15)
    FILL_FLOAT(12, 16) FILL_FLOAT(13, 17) FILL_FLOAT(14, 18) FILL_FLOAT(15, 19)
    "mov x0, x2\n blr x1\n"
    "ldr x0, [sp, #168]\n mov x10, #0\n"
    COUNT(19, 1) COUNT(20, 2) COUNT(21, 3) COUNT(22, 4) COUNT(23, 5) COUNT(24, 6) COUNT(25, 7)
    COUNT(26, 8) COUNT(27, 9) COUNT(28, 10) COUNT(29, 11)
    COUNT_FLOAT(8, 12) COUNT_FLOAT(9, 13) COUNT_FLOAT(10, 14) COUNT_FLOAT(11, 15)
    COUNT_FLOAT(12, 16) COUNT_FLOAT(13, 17) COUNT_FLOAT(14, 18) COUNT_FLOAT(15, 19)
    "mrs x9, fpcr\n ldr x11, [sp, #176]\n cmp x9, x11\n cinc x10, x10, ne\n"
    "ldr x9, [sp, #160]\n msr fpcr, x9\n mov x0, x10\n"
    "ldp x19, x20, [sp, #16]\n ldp x21, x22, [sp, #32]\n ldp x23, x24, [sp, #48]\n"
    "ldp x25, x26, [sp, #64]\n ldp x27, x28, [sp, #80]\n ldp d8, d9, [sp, #96]\n"
    "ldp d10, d11, [sp, #112]\n ldp d12, d13, [sp, #128]\n ldp d14, d15, [sp, #144]\n"
    "ldp x29, x30, [sp], #192\n"
    "ret\n");
#endif
