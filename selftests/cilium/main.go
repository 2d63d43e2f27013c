// SPDX-License-Identifier: GPL-2.0-only

// Counts calls of functions that are given by id, with cilium/ebpf and as docs/loaders.md says:
//
//	fentry resolve --json SPEC... | cilium COMMAND...
//
// cilium/ebpf attaches by name only. But it takes programs that are loaded already. So this loader
// calls BPF_PROG_LOAD itself, and leaves the rest to the library.
package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"unsafe"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/cilium/ebpf/btf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// One function in the output of "fentry resolve --json".
type function struct {
	Object   uint32 // id of its BTF object; 0 (null) if not known
	ID       uint32 // of the FUNC in it
	Module   string
	Function string
	Unit     string // "" (null) if not known
}

// The beginning of union bpf_attr, for BPF_PROG_LOAD.
type loadAttr struct {
	progType, insnCnt           uint32
	insns, license              uint64
	logLevel, logSize           uint32
	logBuf                      uint64
	kernVersion, flags          uint32
	name                        [16]byte
	ifindex, attachType         uint32
	btfFd, funcInfoSize         uint32
	funcInfo                    uint64
	funcInfoCnt, lineInfoSize   uint32
	lineInfo                    uint64
	lineInfoCnt                 uint32
	attachBtfID, attachBtfObjFd uint32
	_                           uint32
}

func load(insns asm.Instructions, f function) (*ebpf.Program, error) {
	var code bytes.Buffer
	license, log := []byte("GPL\x00"), make([]byte, 65536)

	if err := insns.Marshal(&code, binary.LittleEndian); err != nil {
		return nil, err
	}
	attr := loadAttr{
		progType:    uint32(ebpf.Tracing),
		attachType:  uint32(ebpf.AttachTraceFEntry),
		insnCnt:     uint32(code.Len() / asm.InstructionSize),
		insns:       uint64(uintptr(unsafe.Pointer(&code.Bytes()[0]))),
		license:     uint64(uintptr(unsafe.Pointer(&license[0]))),
		logLevel:    1,
		logSize:     uint32(len(log)),
		logBuf:      uint64(uintptr(unsafe.Pointer(&log[0]))),
		attachBtfID: f.ID,
	}
	if f.Module != "vmlinux" {
		handle, err := btf.NewHandleFromID(btf.ID(f.Object))
		if err != nil {
			return nil, err
		}
		defer handle.Close()
		attr.attachBtfObjFd = uint32(handle.FD())
	}
	fd, _, errno := unix.Syscall(unix.SYS_BPF, unix.BPF_PROG_LOAD,
		uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	runtime.KeepAlive(&code)
	runtime.KeepAlive(license)
	if errno != 0 {
		return nil, fmt.Errorf("%v: %s", errno, unix.ByteSliceToString(log))
	}
	return ebpf.NewProgramFromFD(int(fd))
}

// counter counts the calls of a function in a map of one number, as long as the link is there.
type counter struct {
	calls *ebpf.Map
	link  link.Link
}

func attach(f function) (*counter, error) {
	calls, err := ebpf.NewMap(&ebpf.MapSpec{
		Type: ebpf.Array, KeySize: 4, ValueSize: 8, MaxEntries: 1,
	})
	if err != nil {
		return nil, err
	}
	prog, err := load(asm.Instructions{
		asm.LoadMapValue(asm.R1, calls.FD(), 0),
		asm.Mov.Imm(asm.R2, 1),
		asm.StoreXAdd(asm.R1, asm.R2, asm.DWord),
		asm.Mov.Imm(asm.R0, 0),
		asm.Return(),
	}, f)
	if err != nil {
		return nil, err
	}
	attached, err := link.AttachTracing(link.TracingOptions{Program: prog})
	return &counter{calls, attached}, err
}

func run(command []string) error {
	var functions []function
	var counters []*counter

	if err := json.NewDecoder(os.Stdin).Decode(&functions); err != nil {
		return err
	}
	for _, f := range functions {
		c, err := attach(f)
		if err != nil {
			return fmt.Errorf("%s: %w", f.Function, err)
		}
		defer c.link.Close()
		counters = append(counters, c)
	}
	if err := exec.Command(command[0], command[1:]...).Run(); err != nil {
		return err
	}
	for i, f := range functions {
		var cnt uint64
		if err := counters[i].calls.Lookup(uint32(0), &cnt); err != nil {
			return err
		}
		fmt.Println(f.Function, f.Unit, cnt)
	}
	return nil
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "usage: fentry resolve --json SPEC... | cilium COMMAND...")
		os.Exit(2)
	}
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "cilium:", err)
		os.Exit(1)
	}
}
