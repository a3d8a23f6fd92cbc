//===- Fiber.S - switching between stacks ---------------------------------===//
//
// Part of the conv-mlir project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A switch saves the six callee-saved registers and the stack pointer; anything
// else is dead across a call. 5 to 8 ns, against 200 ns of swapcontext (which
// makes two system calls).
//
//===----------------------------------------------------------------------===//

#if !defined(__x86_64__)
#error "the emulator's fibers are written for x86-64"
#endif

        .text

// void emuSwitchFiber(void **savedStack, void *nextStack)
        .globl  emuSwitchFiber
        .type   emuSwitchFiber,@function
emuSwitchFiber:
        push    %rbp
        push    %rbx
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, (%rdi)
        mov     %rsi, %rdi

// [[noreturn]] void emuResumeFiber(void *nextStack)
        .globl  emuResumeFiber
        .type   emuResumeFiber,@function
emuResumeFiber:
        mov     %rdi, %rsp
        pop     %r15
        pop     %r14
        pop     %r13
        pop     %r12
        pop     %rbx
        pop     %rbp
        ret

// void emuGuardLoop(Thread *thread, const Site *site)
// Calls emuGuardLoopAt with the registers that a loop may keep in the lowest words of
// what it sees of the stack.
        .globl  emuGuardLoop
        .type   emuGuardLoop,@function
emuGuardLoop:
        push    %rbp
        push    %rbx
        push    %r12
        push    %r13
        push    %r14
        push    %r15
        mov     %rsp, %rdx
        sub     $8, %rsp
        call    emuGuardLoopAt@PLT
        add     $56, %rsp
        ret

// First code of a fiber: r12 holds the function, r13 its argument.
        .globl  emuFiberEntry
        .type   emuFiberEntry,@function
emuFiberEntry:
        mov     %r13, %rdi
        call    *%r12
        ud2

        .section .note.GNU-stack,"",@progbits
