#include "textflag.h"

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

	MOVD $1, R4
	MOVD R4, ·captured(SB)
	B    _rt0_arm64_linux(SB)

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
