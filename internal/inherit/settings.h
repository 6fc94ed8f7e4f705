// Everything that the runtime reads from its environment. More than one P is no use to a process that lives for a millisecond,
// and each costs threads, which execve has to wait for. The longest command string that execve(2) takes is judged within the
// memory limit, so garbage is collected only in a process that supervises for hours.
DATA settings<>+0(SB)/8, $"GOMAXPRO"
DATA settings<>+8(SB)/8, $"CS=1\x00\x00\x00\x00"
DATA settings<>+16(SB)/8, $"GOMEMLIM"
DATA settings<>+24(SB)/8, $"IT=48MiB"
DATA settings<>+32(SB)/8, $"\x00\x00\x00\x00\x00\x00\x00\x00"
DATA settings<>+40(SB)/8, $"GOGC=off"
DATA settings<>+48(SB)/8, $"\x00\x00\x00\x00\x00\x00\x00\x00"
GLOBL settings<>(SB), RODATA, $56
