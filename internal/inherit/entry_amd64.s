#include "go_asm.h"
#include "textflag.h"
#include "settings.h"

// The process begins here when the binary is linked with -E heavyrun_entry: a statically linked program, the stack as
// execve(2) leaves it, no runtime yet. It asks the kernel what was inherited, leaves the stack as it is, and goes on to where
// a Go program begins. SYSCALL changes AX, CX and R11 only.
//
// A witness (see internal/launch) ends here: a process that waits for a signal to die of, with no runtime that would handle it.
TEXT heavyrun_entry(SB),NOSPLIT|NOFRAME,$0
	CMPQ 0(SP), $1 // argc
	JNE  begin
	MOVQ 8(SP), AX // argv[0], and the letters 8 to 15 of "heavy-run-witness"
	MOVQ $0x73656e7469772d6e, CX
	CMPQ 8(AX), CX
	JNE  begin
witness:
	MOVL $271, AX // ppoll(NULL, 0, NULL, NULL, 0)
	XORL DI, DI
	XORL SI, SI
	XORL DX, DX
	XORL R10, R10
	XORL R8, R8
	SYSCALL
	JMP  witness

begin:
	MOVQ DX, R12

	MOVL $14, AX // rt_sigprocmask(SIG_BLOCK, NULL, &blocked, 8)
	XORL DI, DI
	XORL SI, SI
	LEAQ ·blocked(SB), DX
	MOVL $8, R10
	SYSCALL

	MOVL $1, R13
disposition:
	MOVL $13, AX // rt_sigaction(R13, NULL, &action, 8)
	MOVQ R13, DI
	XORL SI, SI
	LEAQ ·action(SB), DX
	MOVL $8, R10
	SYSCALL
	CMPQ ·action(SB), $1 // SIG_IGN
	JNE  handled
	LEAQ -1(R13), CX
	MOVL $1, AX
	SHLQ CX, AX
	ORQ  AX, ·ignored(SB)
handled:
	INCQ R13
	CMPQ R13, $64
	JLE  disposition

	XORL R13, R13
descriptor:
	MOVL $72, AX // fcntl(R13, F_GETFD)
	MOVQ R13, DI
	MOVL $1, SI
	XORL DX, DX
	SYSCALL
	CMPQ AX, $-9 // -EBADF
	JNE  open
	MOVQ R13, CX
	MOVL $1, AX
	SHLQ CX, AX
	ORQ  AX, ·closed(SB)
open:
	INCQ R13
	CMPQ R13, $3
	JLT  descriptor

	MOVL $302, AX // prlimit64(0, RLIMIT_NOFILE, NULL, &nofile)
	XORL DI, DI
	MOVL $7, SI
	XORL DX, DX
	LEAQ ·nofile(SB), R10
	SYSCALL

	MOVQ SP, ·vectors(SB)

	// The runtime gets vectors of its own: argv[0], the settings, and a copy of the auxiliary vector behind the environment.
	LEAQ ·substitute(SB), R13
	MOVQ 8(SP), AX
	MOVQ AX, 0(R13)
	LEAQ settings<>(SB), AX
	MOVQ AX, 16(R13)
	ADDQ $16, AX
	MOVQ AX, 24(R13)
	ADDQ $24, AX
	MOVQ AX, 32(R13)
	LEAQ 48(R13), DI
	MOVQ 0(SP), CX
	LEAQ 16(SP)(CX*8), SI // envp
environment:
	ADDQ $8, SI
	CMPQ -8(SI), $0
	JNE  environment
	MOVQ $const_auxiliary, CX
auxiliary:
	MOVQ 0(SI), AX
	MOVQ AX, 0(DI)
	MOVQ 8(SI), BX
	MOVQ BX, 8(DI)
	ADDQ $16, SI
	ADDQ $16, DI
	DECQ CX
	JZ   start
	CMPQ AX, $0 // AT_NULL
	JNE  auxiliary

start:
	MOVQ $1, ·captured(SB)
	MOVQ R12, DX
	MOVL $1, DI
	MOVQ R13, SI
	JMP  runtime·rt0_go(SB)

// func call(number, a, b, c, d uintptr) uintptr
TEXT ·call(SB),NOSPLIT,$0-48
	MOVQ number+0(FP), AX
	MOVQ a+8(FP), DI
	MOVQ b+16(FP), SI
	MOVQ c+24(FP), DX
	MOVQ d+32(FP), R10
	SYSCALL
	MOVQ AX, ret+40(FP)
	RET

// func execve(path *byte, argv, envp **byte, mask *uint64) uintptr
TEXT ·execve(SB),NOSPLIT,$0-40
	MOVL $14, AX // rt_sigprocmask(SIG_SETMASK, mask, NULL, 8)
	MOVL $2, DI
	MOVQ mask+24(FP), SI
	XORL DX, DX
	MOVL $8, R10
	SYSCALL
	MOVL $59, AX
	MOVQ path+0(FP), DI
	MOVQ argv+8(FP), SI
	MOVQ envp+16(FP), DX
	SYSCALL
	MOVQ AX, ret+32(FP)
	RET
