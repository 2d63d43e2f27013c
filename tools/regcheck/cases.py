# SPDX-License-Identifier: GPL-2.0-only
"""What selftest.py tests: instructions, small functions, prototypes, with what is expected."""


def rows(table):
    """The fields of each row. Lines that begin with blanks belong to the row before."""
    lines = table.strip().replace("\n    ", " ").split("\n")
    return [[field.strip() for field in line.split("|")] for line in lines]


# Those of which ./decoders compares no parts of registers, or that the kernels lack: as objdump
# writes it, what it reads, what it writes; "rdx:l" is dl, "rdx:h" dh, "rdx:lh" dx.
INSTRUCTIONS = rows("""
mov    %dil,%sil | rdi:l | rsi:l
mov    %di,%si | rdi:lh | rsi:lh
mov    %dh,%ch | rdx:h | rcx:h
mov    %fs:0x28,%rdx | | rdx
movzbl %dl,%edx | rdx:l | rdx
xor    %dl,%dl | | rdx:l
and    $0x0,%edx | | rdx
or     $0xff,%dl | | rdx:l
or     $0xff,%edx | rdx | rdx
sete   %dl | | rdx:l
shl    %cl,%rdi | rdi rcx:l | rdi
shld   %cl,%rsi,%rdi | rdi rsi rcx:l | rdi
bsf    %rdi,%rsi | rdi | rsi
lldt   %edx | rdx:lh |
mul    %sil | rsi:l |
mulx   %rsi,%rdi,%r8 | rsi rdx | rdi r8
div    %cl | rcx:l |
div    %cx | rdx:lh rcx:lh | rdx:lh
divb   (%rdi) | rdi |
divw   (%rdi) | rdi rdx:lh | rdx:lh
cwtd | | rdx:lh
movsl  %ds:(%rsi),%es:(%rdi) | rdi rsi | rdi rsi
repnz scas %es:(%rdi),%al | rdi rcx | rdi rcx
repz cmpsb %es:(%rdi),%ds:(%rsi) | rdi rsi rcx | rdi rsi rcx
lods   %ds:(%rsi),%al | rsi | rsi
rep insb (%dx),%es:(%rdi) | rdi rdx:lh rcx | rdi rcx
out    %al,(%dx) | rdx:lh |
in     (%dx),%eax | rdx:lh |
invlpga | rcx |
movq   %rdi,%xmm0 | rdi |
movd   %xmm0,%edi | | rdi
movups %xmm0,(%rdi) | rdi |
vpinsrq $0x1,%rsi,%xmm0,%xmm0 | rsi |
pmovmskb %xmm0,%ecx | | rcx
fldcw  (%rdi) | rdi |
jrcxz  ffffffff81000010 <x+0x10> | rcx |
notrack jmp *0x10(,%rdx,8) | rdx |
""")
UNKNOWN = ["hreset $0x1", "(bad)", "rep", "aeskeygen %rdi", ""]

# Assembly without BTF, called by the functions below.
HELPERS = rows("""
reads_rsi | mov %rsi, %rax; ret
saves_all | push %rdi; push %rsi; push %rdx; call clobbers; pop %rdx; pop %rsi; pop %rdi; ret
clobbers | xor %edi, %edi; xor %esi, %esi; xor %edx, %edx; ret
clobbers_rdx | xor %edx, %edx; ret
never_returns | 1: jmp 1b
__x86_return_thunk | ret; int3
__x86_indirect_thunk_rdx | call 1f; int3; 1: mov %rdx, (%rsp); ret
__fentry__ | ret
with_seven | mov 8(%rsp), %rax; ret
variadic | mov %rdi, %rax; mov %rsi, -8(%rsp); mov %r9, -16(%rsp); ret
takes_two | xor %eax, %eax; call *8(%rax); ret
""")

# Name, the registers that it reads for certain, code.
FLOW = rows("""
nothing | | call __fentry__; xor %eax, %eax; ret
after_fentry | rdi | call __fentry__; mov %rdi, %rax; ret
set_before | | xor %edi, %edi; mov %rdi, %rax; ret
one_branch | rdi rdx | test %edi, %edi; je 1f; mov %rdx, %rax; ret; 1: xor %edx, %edx;
    mov %rdx, %rax; ret
behind_jump | rsi | jmp 1f; mov %rdi, %rax; 1: mov %rsi, %rax; ret
loop | rdi rsi | 1: add %rsi, %rax; dec %edi; jne 1b; ret
second_round | rcx | xor %eax, %eax; 1: test %eax, %eax; jne 2f; inc %eax; jmp 1b;
    2: mov %rcx, %rax; ret
cold | rdi rdx | test %edi, %edi; jne cold.cold; ret; .globl cold.cold; .type cold.cold, @function;
    cold.cold: mov %rdx, %rax; ret
byte_set | | sete %dl; movzbl %dl, %eax; ret
byte_argument | rdx | movzbl %dl, %eax; ret
word_set | | mov $1, %dx; movzwl %dx, %eax; ret
pushed_popped | | push %rdi; push %rbx; pop %rbx; pop %rdi; ret
restored | rdi | push %rdi; xor %edi, %edi; pop %rdi; mov %rdi, %rax; ret
dropped | | push %rdi; add $8, %rsp; ret
popped_elsewhere | | push %rdi; pop %rsi; ret
slot_read | rdi | push %rdi; push %rbx; mov 8(%rsp), %rax; pop %rbx; pop %rcx; ret
slot_set | | push %rdi; movq $1, (%rsp); mov (%rsp), %rax; pop %rdi; ret
stack_argument | r9 | push %r9; call with_seven; pop %rcx; ret
no_stack_argument | rsi | push %r9; call reads_rsi; pop %rcx; ret
passes_on | rsi | call reads_rsi; ret
passes_on_two | rsi | call passes_on; ret
passes_tail | rsi | jmp reads_rsi
passes_tail_if | rdi rsi | test %edi, %edi; jne reads_rsi; ret
passes_set | | xor %esi, %esi; call reads_rsi; ret
recursive | rdi rsi | dec %edi; je reads_rsi; call recursive; ret
gone_after_call | | call nothing; mov %rdi, %rax; ret
kept_by_thunk | rdi r8 | call saves_all; mov %rdi, %rax; mov %r8, %rax; ret
not_kept | rdi | call clobbers_rdx; mov %rdx, %rax; mov %rdi, %rax; ret
after_the_end | | call never_returns; mov %rdi, %rax; ret
return_thunk | | jmp __x86_return_thunk; mov %rdi, %rax; ret
indirect_thunk | rdx | call __x86_indirect_thunk_rdx; mov %rdi, %rax; ret
indirect_call | rdi | call *8(%rdi); mov %rsi, %rax; ret
indirect_tail | rdi | push %rbx; mov 8(%rdi), %rax; pop %rbx; jmp *%rax
calls_variadic | rdi | call variadic; ret
bug | rdi | test %edi, %edi; je 1f; ret; 1: ud2; mov %rsi, %rax; ret
warn | rsi | warn_place: ud2; mov %rsi, %rax; ret
static_branch | rsi | branch_place: nopl 0(%rax,%rax,1); ret; branch_target: mov %rsi, %rax; ret
static_jump | rdi rsi | jump_place: jmp 1f; mov %rdi, %rax; ret; 1: mov %rsi, %rax; ret
fault | rdi rsi | fault_place: mov (%rdi), %eax; ret; fault_target: mov %rsi, %rax; ret
fault_sets | rdi | fault_place2: mov (%rdi), %eax; ret; fault_target2: mov %rsi, %rax; ret
alternative | rsi | alternative_place: nopl (%rax); ret
alternative_ends | rdi | alternative_place2: nopl (%rax); mov %rdi, %rax; ret
alternative_jumps | rdi rsi | alternative_place3: jmp 1f; nop; nop; nop; nop; 1: mov %rdi,%rax;
    ret; alternative_target: mov %rsi, %rax; ret
alternative_of_nothing | rsi | alternative_place4: xor %esi, %esi; mov %rsi, %rax; ret
static_jump_over_a_write | rsi | jump_place2: jmp 1f; xor %esi, %esi; ret; 1: mov %rsi, %rax; ret
""")

# Name, the registers that it reads for certain, those that it may pass on to an unknown target,
# code. BTF gives takes_two two parameters, which takes_two doesn't read.
OPEN = rows("""
static_call | | rdi rsi rdx rcx r8 r9 | call __SCT__reads_rsi; ret
static_call_of_nothing | | rsi rdx rcx r8 r9 | mov $1, %edi; jmp __SCT__nothing
static_call_if | rdi | rdi rsi rdx rcx r8 r9 | test %edi, %edi; jne __SCT__nothing; ret
static_call_of_two | rdi rsi | | call __SCT__takes_two; ret
static_tail_call_of_two | rdi rsi | | jmp __SCT__takes_two
kept_by_static_call | rsi rdx | rdi rsi rdx rcx r8 r9 | call __SCT__nothing; mov %rdx, %rax;
    test %eax, %eax; je 1f; mov %rsi, %rax; 1: ret
not_passed_after_it | | rdi rsi rdx rcx r8 r9 | call __SCT__nothing; call reads_rsi; jmp *%rax
hypercall | | rdi rdx rcx r8 r9 | xor %esi, %esi; vmcall; ret
indirect_call | | rdi rdx rcx r8 r9 | xor %esi, %esi; call *%rax; mov %rdi, %rax; ret
indirect_tail | rdi | rdi rsi rdx rcx r8 r9 | jmp *8(%rdi)
indirect_thunk | rdx | rdi rsi rdx rcx r8 r9 | call __x86_indirect_thunk_rdx; ret
patched_call | rsi | rdi rsi rdx rcx r8 r9 | patched_place: call *pointer(%rip); mov %rsi, %rax;
    ret
patched_call_of_old | rsi | rdi rsi rdx rcx r8 r9 | old_patched_place: call *pointer(%rip);
    mov %rsi, %rax; ret
passes_two | | rdi rsi | call takes_two; ret
passes_two_on | | rdi | xor %esi, %esi; jmp takes_two
""")

# The same as FLOW, for paths that are followed in a linked file only. Here the table of static
# branches is no section of its own, and that of warnings is as without CONFIG_DEBUG_BUGVERBOSE.
LINKED = rows("""
warn | rsi | warn_place: ud2; mov %rsi, %rax; ret
static_branch | rsi | branch_place: nopl 0(%rax,%rax,1); ret; branch_target: mov %rsi, %rax; ret
by_table | rdi rsi rcx | cmp $1, %edi; ja 3f; jmp *table(,%rdi,8); 1: mov %rsi, %rax; ret;
    2: mov %rcx, %rax; ret; 3: ret; .pushsection .rodata; table: .quad 1b, 2b; .quad reads_rsi;
    .popsection
""")

# Functions that can't be followed everywhere: the name begins with the class.
DOUBTS = rows("""
unknown_instruction | rdi | hreset $1; mov %rdi, %rax; ret
lost_jump | rdi | push %rbx; mov 8(%rdi), %rax; jmp *%rax
mixed_register | | sete %dl; mov %edx, %eax; ret
clear | rdi | mov %rdi, %rax; ret
""")

# What sections say of the functions above, if they are there.
SECTIONS = """
.weak warn_place, branch_place, branch_target, jump_place, jump_place2, fault_place, fault_target
.weak fault_place2, fault_target2, no_place, patched_place, old_patched_place
.weak alternative_place, alternative_place2, alternative_place3, alternative_place4
.weak alternative_target
.section __bug_table, "aw"
.long warn_place - ., 0
.short 0, 1
.long nothing_at_all - ., 0
.short 0, 0
.section __jump_table, "aw"
.long branch_place - ., branch_target - .
.quad 0
.long jump_place - ., jump_place + 2 - .
.quad 0
.long jump_place2 - ., jump_place2 + 2 - .
.quad 0
.section __ex_table, "a"
.long fault_place - ., fault_target - ., 0
.long fault_place2 - ., fault_target2 - ., 0x600
.section .altinstructions, "a"
.rept 2
.long .Lnobodys_place - ., .Lends - .
.short 0, 0
.byte 1, 1
.endr
.long patched_place - ., .Ldirect_call - .
.short 0, 2
.byte 6, 5
.long alternative_place - ., .Lreads_rsi - .
.short 0, 0
.byte 3, 3
.long alternative_place2 - ., .Lends - .
.short 0, 0
.byte 3, 1
.long alternative_place3 - ., .Ljumps - .
.short 0, 0
.byte 5, 5
.long alternative_place4 - ., .Lends - .
.short 0, 0
.byte 2, 0
.section .altinstr_replacement, "ax"
.Lreads_rsi: mov %rsi, %rax
.Lends: clc
mov %rdx, %rax
.Ldirect_call: call reads_rsi
.Ljumps: jmp alternative_target
.section .parainstructions, "a"
.quad old_patched_place, 0
.section .static_call.text, "ax"
.globl __SCT__nothing, __SCT__reads_rsi, __SCT__takes_two
__SCT__nothing: ret; .skip 7, 0xcc
__SCT__reads_rsi: jmp reads_rsi; .skip 3, 0xcc
__SCT__takes_two: jmp takes_two; .skip 3, 0xcc
.data
pointer: .quad nothing_at_all
.text
nothing_at_all: ud2
.Lnobodys_place: nop
"""

# (return kind, size), [(parameter kind, size)], registers, words on the stack, attachable
_LONG = ("INT", 8)
PROTOTYPES = [
    ((0, 0), [], 0, 0, True),
    (_LONG, [_LONG, ("PTR", 8), ("ENUM", 4)], 3, 0, True),
    (_LONG, [_LONG] * 8, 6, 2, True),
    (_LONG, [_LONG] * 13, 6, 7, False),
    (_LONG, [("STRUCT", 16), _LONG], 3, 0, True),
    (_LONG, [("STRUCT", 5)], 1, 0, True),
    (_LONG, [_LONG] * 5 + [("STRUCT", 16), _LONG], 6, 2, True),
    (_LONG, [("STRUCT", 24), _LONG], 1, 3, False),
    (_LONG, [("INT", 16), _LONG], 3, 0, True),
    (_LONG, [("UNION", 8)], 1, 0, False),
    (("STRUCT", 24), [_LONG], 2, 0, False),
    (("STRUCT", 16), [_LONG], 1, 0, False),
]

# A kernel for the command: name, number of parameters in BTF, "placed" if BTF has its
# address, code.
KERNEL = rows("""
__fentry__ | 0 | | ret
right | 2 | placed | call __fentry__; lea (%rdi,%rsi), %rax; ret
fewer | 3 | placed | call __fentry__; mov %rsi, %rax; ret
beyond | 1 | placed | call __fentry__; mov %rdi, %rax; add %rsi, %rax; ret
passes | 1 | placed | call __fentry__; jmp right
by_name | 0 | | call __fentry__; mov %rdx, %rax; ret
untraceable | 0 | | mov %rdx, %rax; ret
pushes | 0 | placed | push %rcx; call right_but; pop %rcx; ret
right_but | 0 | placed | xor %eax, %eax; ret
strange | 1 | placed | hreset $1; mov %rdi, %rax; ret
""")

# Callers of dropped(), "uses" if they use its value, and code. Those that BTF describes return
# something according to BTF.
CALLERS = rows("""
tests_whole | uses | call dropped; test %eax,%eax; je 1f; nop; 1: ret
tests_low | uses | call dropped; test $0x20,%al; je 1f; nop; 1: ret
copies | uses | call dropped; mov %rax,%rbx; ret
copies_late | uses | call dropped; mov %rbx,%rdi; pop %rbx; mov %eax,%r8d; ret
stores | uses | call dropped; mov %eax,0x8(%r9); ret
addresses | uses | call dropped; mov (%rax),%rdx; ret
stores_there | uses | call dropped; movl $1,(%rax,%rdx,8); ret
extends | uses | call dropped; cltq; mov %rax,%rbx; ret
widens | uses | call dropped; movzbl %al,%eax; ret
adds | uses | call dropped; add %rax,%rbx; ret
adds_to | uses | call dropped; add $1,%rax; ret
returns_it | | call dropped; ret
clears | | call dropped; xor %eax,%eax; test %eax,%eax; ret
sets | | call dropped; mov $1,%eax; mov %eax,%ebx; ret
loads | | call dropped; mov (%rbx),%rax; mov %rax,%rbx; ret
has_other | | call dropped; rdtsc; mov %eax,%ebx; ret
calls_again | | call dropped; call other; test %eax,%eax; ret
jumps | uses | call dropped; jmp 1f; 1: test %eax,%eax; ret
has_alternative | uses | call dropped; 2: nop; nop; xor %eax,%eax; ret;
    .pushsection .altinstructions, "a"; .long 2b - ., 1f - .; .short 0, 0; .byte 2, 2; .popsection;
    .pushsection .altinstr_replacement, "ax"; 1: mov %eax,%ebx; .popsection
faults | uses | call dropped; 2: mov (%rbx),%rax; mov %rax,%rbx; ret; 3: mov %eax,%ecx; ret;
    .pushsection __ex_table, "a"; .long 2b - ., 3b - ., 1; .popsection
faults_and_sets | | call dropped; 2: mov (%rbx),%rax; mov %rax,%rbx; ret; 3: mov %eax,%ecx; ret;
    .pushsection __ex_table, "a"; .long 2b - ., 3b - ., 17; .popsection
second_half_faults | uses | call dropped; xor %eax,%eax; 2: mov (%rbx),%rdx; ret; 3: mov %edx,%ecx;
    ret; .pushsection __ex_table, "a"; .long 2b - ., 3b - ., 1; .popsection
second_half_faults_and_sets | | call dropped; xor %eax,%eax; 2: mov (%rbx),%rdx; ret;
    3: mov %edx,%ecx; ret; .pushsection __ex_table, "a"; .long 2b - ., 3b - ., 0x211; .popsection
jumps_if | uses | call dropped; test %ebx,%ebx; je 1f; xor %eax,%eax; ret; 1: mov %eax,%ebx; ret
sets_both | | call dropped; test %ebx,%ebx; je 1f; xor %eax,%eax; jmp 2f; 1: mov $1,%eax;
    2: test %eax,%eax; ret
goes_to_cold | uses | call dropped; jmp goes_to_cold.cold; .type goes_to_cold.cold, @function;
    goes_to_cold.cold: test %eax,%eax; ret
from_cold | uses | test %eax,%eax; jne from_cold.cold; ret; 1: mov %eax,%ebx; ret;
    .type from_cold.cold, @function; from_cold.cold: call dropped; jmp 1b
second_half | uses | call dropped; mov %rdx,%rbx; ret
second_half_set | | call dropped; xor %edx,%edx; mov %rdx,%rbx; xor %eax,%eax; ret
second_half_passed | uses | call dropped; xor %eax,%eax; call reads_rdx; ret
second_half_passed_on | uses | call dropped; xor %eax,%eax; jmp reads_rdx
second_half_not_passed | | call dropped; xor %eax,%eax; call described_sets; ret
second_half_kept | uses | call dropped; call keeps_rdx; mov %rdx,%rbx; ret
second_half_not_kept | | call dropped; call other; mov %rdx,%rbx; ret
described_returns | uses | call dropped; ret
described_returns_if | uses | call dropped; test %ebx,%ebx; je 1f; xor %eax,%eax; 1: ret
described_goes_on | uses | test %ebx,%ebx; je dropped; xor %eax,%eax; ret
described_sets | | call dropped; xor %eax,%eax; ret
goes_on | | jmp dropped
calls_other | | call other; test %eax,%eax; ret
""")

# For ./names: functions, where ftrace patches them, if it does, and their code. Without an endbr64,
# the site of "short" isn't its own.
NAMES = rows("""
kept | 0 | ret
behind | 4 | endbr64; ret
short | 4 | nop; nop; nop; ret
lost | 0 | ret
refused | 0 | ret
quiet | | ret
added | | ret
twin_1 | 0 | ret
twin_2 | 0 | ret
first | 0 | ret
second | | ret
__x64_sys_call | 0 | ret
__x64_sys_other | 0 | ret
""")
ALIASES = """.type __ia32_sys_call, @function
.globl __ia32_sys_call
.set __ia32_sys_call, __x64_sys_call
.type __ia32_sys_other, @function
.globl __ia32_sys_other
.set __ia32_sys_other, __x64_sys_other
.type of_kept, @function
.set of_kept, kept
"""
DESCRIBED = """kept behind short lost refused quiet twin of_kept first __x64_sys_call
    __ia32_sys_call __x64_sys_other __ia32_sys_other""".split()
# The name of each FUNC, and the symbol where it is.
ANNOTATED = rows("""
kept | kept
behind | behind
quiet | quiet
added | added
twin | twin_2
twin | twin_1
__x64_sys_call | __x64_sys_call
__ia32_sys_other | __ia32_sys_other
again | behind
first | second
""")
LEFT = (b"0x0\trefused\tparameters without location\n"
        b"0x0\tlost\tno DWARF function at this address\n")
SAID = [
    "__x64_sys_other: ADDR has no FUNC, pahole has one",
    "first: ADDR doesn't have the first FUNC: ADDR has it, which ftrace can't patch",
    "lost: ADDR has no FUNC, pahole has one",
    "added: ADDR has a FUNC, and ftrace can't patch it",
    "twin: ADDR has the first FUNC, the kernel finds ADDR",
    "ADDR has 2 FUNCs",
    "refused: ADDR is refused: parameters without location",
    "names: 5 names have a FUNC, 2 are other names of a function (1 __ia32_, 1 rest), "
    "1 are refused, 6 faults; 6 of 9 functions that ftrace can patch have a FUNC",
]

# Of arm64, where all registers are whole: text, registers that are read and written, by how
# much sp moves
ARM64 = rows("""
add x0, x1, x2, lsl 3 | x1 x2 | x0 | 0
mov w7, 0x3 | | x7 | 0
adrp x1, d0 <f> | | x1 | 0
ldr x2, d18 <f+0x18> | | x2 | 0
add x0, x0, 0x8 | x0 | x0 | 0
movk x1, 0x12, lsl 16 | x1 | x1 | 0
ldr x0, [x0, 8] | x0 | x0 | 0
ldrsw x5, [x1, w2, sxtw 2] | x1 x2 | x5 | 0
ldp x3, x4, [x2], 16 | x2 | x3 x4 | 0
ldpsw x0, x1, [sp, 8] | | x0 x1 | 0
stp x29, x30, [sp, -48]! | | | -48
ldp x29, x30, [sp], 48 | | | 48
sub sp, sp, 0x20 | | | -32
mov sp, x29 | | | None
str w1, [x0, 4] | x0 x1 | | 0
stlxr w3, x4, [x5] | x4 x5 | x3 | 0
ldaddal w1, w2, [x3] | x1 x3 | x2 | 0
casal x0, x1, [x2] | x0 x1 x2 | x0 | 0
cmp x0, x1 | x0 x1 | | 0
ccmp w0, w1, 0x4, ne | x0 x1 | | 0
csel x0, x1, xzr, eq | x1 | x0 | 0
cset w0, ls | | x0 | 0
bfi w1, w2, 8, 8 | x1 x2 | x1 | 0
mrs x1, sp_el0 | | x1 | 0
msr daifset, x2 | x2 | | 0
fmov x1, d0 | | x1 | 0
ld1 {v0.16b}, [x1], 16 | x1 | | 0
umov w2, v1.b[0] | | x2 | 0
cbnz x1, 1000 <f+0x1> | x1 | | 0
tbz w2, 0, 1000 <x0> | x2 | | 0
blr x3 | x3 | | 0
bl 1000 <x1> | | | 0
paciasp | | | 0
prfm pldl1strm, [x1, x2] | x1 x2 | | 0
dc cvac, x1 | x1 | | 0
hvc 0x0 | | x0 x1 x2 x3 | 0
wfet x1 | x1 | | 0
""")
