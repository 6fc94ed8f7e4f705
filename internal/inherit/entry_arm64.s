#include "go_asm.h"
#include "textflag.h"
#include "settings.h"

// See entry_amd64.s. SVC changes R0 only.

TEXT heavyrun_entry(SB),NOSPLIT|NOFRAME,$0
	MOVD 0(RSP), R0 // argc
	CMP  $1, R0
	BNE  begin
	MOVD 8(RSP), R0 // argv[0]
	MOVD 8(R0), R0
	MOVD $0x73656e7469772d6e, R1
	CMP  R1, R0
	BNE  begin
witness:
	MOVD $0, R0 // ppoll(NULL, 0, NULL, NULL, 0)
	MOVD $0, R1
	MOVD $0, R2
	MOVD $0, R3
	MOVD $0, R4
	MOVD $73, R8
	SVC
	B    witness

begin:
	MOVD $0, R0 // rt_sigprocmask(SIG_BLOCK, NULL, &blocked, 8)
	MOVD $0, R1
	MOVD $·blocked(SB), R2
	MOVD $8, R3
	MOVD $135, R8
	SVC

	MOVD $1, R9
	MOVD $0, R10
disposition:
	MOVD R9, R0 // rt_sigaction(R9, NULL, &action, 8)
	MOVD $0, R1
	MOVD $·action(SB), R2
	MOVD $8, R3
	MOVD $134, R8
	SVC
	MOVD ·action(SB), R4
	CMP  $1, R4 // SIG_IGN
	BNE  handled
	SUB  $1, R9, R5
	MOVD $1, R6
	LSL  R5, R6, R6
	ORR  R6, R10, R10
handled:
	ADD $1, R9, R9
	CMP $64, R9
	BLE disposition
	MOVD R10, ·ignored(SB)

	MOVD $0, R9
	MOVD $0, R10
descriptor:
	MOVD R9, R0 // fcntl(R9, F_GETFD)
	MOVD $1, R1
	MOVD $0, R2
	MOVD $25, R8
	SVC
	CMN  $9, R0 // -EBADF
	BNE  open
	MOVD $1, R6
	LSL  R9, R6, R6
	ORR  R6, R10, R10
open:
	ADD $1, R9, R9
	CMP $3, R9
	BLT descriptor
	MOVD R10, ·closed(SB)

	MOVD $0, R0 // prlimit64(0, RLIMIT_NOFILE, NULL, &nofile)
	MOVD $7, R1
	MOVD $0, R2
	MOVD $·nofile(SB), R3
	MOVD $261, R8
	SVC

	MOVD RSP, R4
	MOVD R4, ·vectors(SB)
	MOVD $·substitute(SB), R9
	MOVD 8(RSP), R4 // argv[0]
	MOVD R4, 0(R9)
	MOVD $settings<>(SB), R4
	MOVD R4, 16(R9)
	ADD  $16, R4, R4
	MOVD R4, 24(R9)
	ADD  $24, R4, R4
	MOVD R4, 32(R9)
	ADD  $48, R9, R10
	MOVD RSP, R11
	MOVD 0(RSP), R4
	ADD  R4<<3, R11, R11
	ADD  $16, R11, R11 // envp
environment:
	MOVD.P 8(R11), R4
	CBNZ   R4, environment
	MOVD   $const_auxiliary, R5
auxiliary:
	MOVD.P 8(R11), R4
	MOVD.P R4, 8(R10)
	MOVD.P 8(R11), R6
	MOVD.P R6, 8(R10)
	SUB    $1, R5, R5
	CBZ    R5, start
	CBNZ   R4, auxiliary // not AT_NULL

start:
	MOVD $1, R4
	MOVD R4, ·captured(SB)
	MOVD $1, R0
	MOVD R9, R1
	B    runtime·rt0_go(SB)

// func call(number, a, b, c, d uintptr) uintptr
TEXT ·call(SB),NOSPLIT,$0-48
	MOVD number+0(FP), R8
	MOVD a+8(FP), R0
	MOVD b+16(FP), R1
	MOVD c+24(FP), R2
	MOVD d+32(FP), R3
	SVC
	MOVD R0, ret+40(FP)
	RET

// func execve(path *byte, argv, envp **byte, mask *uint64) uintptr
TEXT ·execve(SB),NOSPLIT,$0-40
	MOVD $2, R0 // rt_sigprocmask(SIG_SETMASK, mask, NULL, 8)
	MOVD mask+24(FP), R1
	MOVD $0, R2
	MOVD $8, R3
	MOVD $135, R8
	SVC
	MOVD path+0(FP), R0
	MOVD argv+8(FP), R1
	MOVD envp+16(FP), R2
	MOVD $221, R8
	SVC
	MOVD R0, ret+32(FP)
	RET
