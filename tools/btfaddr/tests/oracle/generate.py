#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""Random C programs whose functions compilers change.

A program is two units in C. Each function mixes what it is given into a sum, and calls
others: with constants, with what it was given itself, through pointers and static calls.
In every second program, what is passed is also written down before each call, for the
runtime to compare.
"""
import random

HEADER = """\
#define noinline __attribute__((noinline))
#define noreturn __attribute__((noreturn))
#ifndef musttail
#ifdef __clang__
#define musttail __attribute__((musttail))
#else
#define musttail // GCC 15 changes functions that it must then jump to, and gives up
#endif
#endif
struct pair { long first, second; };
struct small { int a, b; };
struct mixed { long l; int i; };
struct wide { long x, y, z; };
union either { long l; void *p; };
struct packed { char c; long l; } __attribute__((packed));
struct nested { struct { int a; char b; } in; short s; };
struct array { int v[3]; };
struct bits { unsigned int a : 5, b : 11; long c; };
struct three { char v[3]; };
struct five { char v[5]; };
struct flags { unsigned int a : 3, b : 7, c : 22; };
struct split { unsigned long a : 40, b : 24; int c : 9; };
struct holes { char c; short : 9; short s; };
struct tagged { union { long l; struct { int a; short b; }; }; unsigned char tag : 3; };
union parts { struct { unsigned int a : 9, b : 23; }; int v[4]; };
typedef long (*op2_t)(long, long);
typedef long (*op1_t)(const struct pair *);
extern long sum, fuel;
extern volatile long noise, want[];
extern struct pair pairs[8];
extern struct wide wides[8];
extern long longs[8];
extern op2_t op2;
extern op1_t op1;
long __SCT__null(long a, long b);
long __SCT__ret0(long a, long b, long c);
long __SCT__there(long a, long b);
void __SCT__nothing(void);
long extern_two(long a, long b);
noreturn void stop(long n);
void escape(volatile void *p);
__attribute__((cold)) void chill(void);
#define mix(x) (sum = sum * 31 + (long)(x))
#ifdef __aarch64__
#define IF_NEGATIVE "tbnz %0, #63, %l1"
#else
#define IF_NEGATIVE "test %0, %0; js %l1"
#endif
static noinline void cleaned(long *p) { mix(*p); }
"""

# Types, their sizes in bytes, and the members of structs, with their sizes
SCALARS = ["char", "short", "int", "long", "unsigned char", "unsigned int", "_Bool"]
WIDEST = "__int128"
COMPLEX = ["_Complex int", "_Complex long"]
SIZES = {"char": 1, "short": 2, "int": 4, "long": 8, "unsigned char": 1,
         "unsigned int": 4, "_Bool": 1, "struct pair": 16, "struct small": 8,
         "struct mixed": 16, "struct wide": 24, "union either": 8, "struct packed": 9,
         "struct nested": 12, "struct array": 12, "struct bits": 16, "struct three": 3,
         "struct five": 5, WIDEST: 16, "struct flags": 4, "struct split": 16,
         "_Complex int": 8, "_Complex long": 16, "op2_t": 8, "struct holes": 6,
         "struct tagged": 16, "union parts": 16}
MEMBERS = {"struct pair": [("first", 8), ("second", 8)], "struct small": [("a", 4), ("b", 4)],
           "struct mixed": [("l", 8), ("i", 4)], "struct wide": [("x", 8), ("y", 8), ("z", 8)],
           "union either": [("l", 8)], "struct packed": [("c", 1), ("l", 8)],
           "struct nested": [("in.a", 4), ("in.b", 1), ("s", 2)],
           "struct array": [("v[0]", 4), ("v[1]", 4), ("v[2]", 4)],
           "struct bits": [("a", 0), ("b", 0), ("c", 8)],
           "struct flags": [("a", 0), ("b", 0), ("c", 0)],
           "struct split": [("a", 0), ("b", 0), ("c", 0)],
           "struct holes": [("c", 1), ("s", 2)], "struct tagged": [("l", 8), ("tag", 0)],
           "union parts": [("a", 0), ("b", 0)],
           "struct three": [("v[0]", 1), ("v[1]", 1), ("v[2]", 1)],
           "struct five": [("v[0]", 1), ("v[1]", 1), ("v[2]", 1), ("v[3]", 1), ("v[4]", 1)]}
# Calling conventions of functions that BTF must not describe; older compilers ignore some of them.
# clang's functions of gcc's first one leave no trace where they need not save a register, and arm64
# has none.
# no_callee_saved_registers is left out: by gcc 14 and 15, it changes rbp, which callers rely on.
CONVENTIONS = {"gcc": ["preserve_none"],
               "gcc-x86": ["no_caller_saved_registers", "ms_abi", "preserve_none"],
               "clang": ["preserve_most", "preserve_none"],
               "clang-x86": ["preserve_most", "preserve_none", "ms_abi"]}
# Most structs that are passed are these.
PLAIN = ["struct pair", "struct small", "struct mixed", "struct wide", "union either"]
POINTED = {"const struct pair *": "pairs", "const struct wide *": "wides", "const long *": "longs"}
RETURNS = ["void", "int", "long", "long", "char", "_Bool", "struct pair", "struct small",
           "struct wide", "const struct pair *"]


def size_of(ctype):
    return 8 if ctype.endswith("*") else SIZES[ctype]


def is_number(ctype):
    return ctype in SIZES and ctype not in MEMBERS


class Function:
    def __init__(self, rng, nr, noreturn=False, conventions=(), plain=False, like=None):
        self.noreturn = noreturn
        self.name = f"f{nr}"
        self.nr = nr
        self.unit = rng.randrange(2)
        self.static = rng.random() < 0.8
        self.taken = rng.random() < 0.15
        self.variadic = rng.random() < 0.04
        self.ret = rng.choice(RETURNS)
        self.ret_use = rng.choice(["all", "all", "none", "second", "passed"])
        self.types = [self.pick(rng) for _ in range(rng.choice([0, 1, 2, 2, 3, 3, 4, 5, 7, 8]))]
        # one function of a pair, of which the first may jump to the second
        if plain:
            self.types = [t for t in self.types if t in SCALARS or t in POINTED]
            self.ret = "long" if self.ret.startswith("struct") else self.ret
            self.variadic, conventions = False, ()
        if like:
            self.types, self.ret, self.unit = like.types, like.ret, like.unit
        self.const = [rng.randrange(1, 9) if t in SCALARS and rng.random() < 0.2 else None
                      for t in self.types]
        self.used = [rng.random() < 0.7 for _ in self.types]
        # their addresses are taken, so that they are in memory
        self.homed = [t not in COMPLEX and rng.random() < 0.12 for t in self.types]
        # callers pass one of two constants
        self.clones = rng.random() < 0.3
        self.init = not self.taken and rng.random() < 0.06
        self.guarded = rng.random() < 0.1
        self.convention = rng.choice(conventions) if conventions and rng.random() < 0.06 else None
        # of variable size on the stack, or called when the function ends
        self.room = rng.choice(["", "", "", "", "", "", "", "alloca", "cleanup"])
        # it depends on its arguments only
        self.pure = rng.choice(["", "", "", "", "", "", "", "pure", "const"])
        if self.variadic and not self.types:
            self.types, self.const, self.used, self.homed = ["int"], [None], [True], [False]
        if noreturn:
            self.unit, self.static, self.taken, self.variadic, self.ret = 1, True, False, False, \
                "void"
        if noreturn or self.variadic:
            self.convention = None
        if self.convention:
            self.ret = "void"
            # changed ones of gcc's own may leave no trace
            self.static &= self.convention != "no_caller_saved_registers"
        if self.convention and not self.keeps_less():
            # callers of those that call others expect more than these keep
            self.homed, self.guarded = [False] * len(self.types), False
            # callers don't rely on what nothing shows
            if not self.types:
                self.types, self.const = ["int"], [None]
                self.homed = [False]
            if self.static:
                self.const, self.used = [None] * len(self.types), [*self.used[:-1], True]
            else:
                self.used = [True] * len(self.types)
        if noreturn or plain or self.convention or self.variadic or self.ret not in SCALARS:
            self.pure = ""
        if self.pure or plain:
            self.homed, self.guarded, self.room = [False] * len(self.types), False, ""

    def keeps_less(self):
        """Has the function nothing to save, so that it may call others?"""
        return self.convention == "preserve_none"

    @staticmethod
    def pick(rng):
        kind = rng.random()
        if kind < 0.48:
            return rng.choice(SCALARS)
        if kind < 0.5:
            return rng.choice([WIDEST, *COMPLEX])
        if kind < 0.52:
            return "op2_t"
        if kind < 0.78:
            return rng.choice(list(POINTED))
        return rng.choice(PLAIN if kind < 0.92 else list(MEMBERS))

    def params(self):
        return [f"p{i}" for i in range(len(self.types))]

    def proto(self):
        params = [f"{t} {p}" for t, p in zip(self.types, self.params())]
        if self.variadic:
            params.append("...")
        inner = ", ".join(params) or "void"
        kind = "noreturn " if self.noreturn else ""
        if self.init:
            kind += '__attribute__((section(".init.text"))) '
        for attribute in filter(None, (self.convention, self.pure)):
            kind += f"__attribute__(({attribute})) "
        return f"{'static ' if self.static else ''}noinline {kind}{self.ret} {self.name}({inner})"


class Program:
    def __init__(self, seed, conventions, nr_functions=14):
        self.rng = random.Random(seed)
        self.log = bool(seed % 2)
        self.log_returns = seed % 4 == 1
        conventions = CONVENTIONS.get(conventions, ())
        self.functions = []
        for i in range(nr_functions):
            self.functions.append(Function(self.rng, i, conventions=conventions, plain=i % 4 > 1,
                                           like=self.functions[-1] if i % 4 == 3 else None))
        self.last = Function(self.rng, nr_functions, noreturn=True)
        self.functions.append(self.last)
        self.nr_want = 0
        self.want = {}		# function: {name of a parameter or part: index, size}
        for f in self.functions:
            self.want[f.name] = self.number(f)
        self.temps = 0

    def number(self, f):
        slots = {}
        for p, t in zip(f.params(), f.types):
            parts = MEMBERS.get(t)
            names = [(f"{p}__{m}", s) for m, s in parts] if parts else [(p, size_of(t))]
            for name, size in names:
                slots[name] = (self.nr_want, size)
                self.nr_want += 1
        logged = is_number(f.ret) and not f.pure
        slots["return"] = (self.nr_want, SIZES[f.ret] if logged else 0)
        self.nr_want += 1
        return slots

    def reads(self, ctype, p):
        """Expressions for all, or some, of what a parameter holds."""
        rng = self.rng
        if ctype in MEMBERS:
            fields = [f"{p}.{m}" for m, _ in MEMBERS[ctype]]
        elif ctype == "const struct pair *":
            fields = [f"{p}->first", f"{p}->second"]
        elif ctype == "const struct wide *":
            fields = [f"{p}->x", f"{p}->y", f"{p}->z"]
        elif ctype == "const long *":
            return [f"*{p}"]
        elif ctype == "op2_t":
            return [f"{p}(acc, 3)"]
        elif ctype in COMPLEX:
            fields = [f"__real__ {p}", f"__imag__ {p}"]
        else:
            return [p]
        return rng.sample(fields, rng.randrange(1, len(fields) + 1))

    def value(self, ctype, f, out):
        """An expression of a type, maybe a parameter of f. Lines that prepare it go to out."""
        rng = self.rng
        own = [p for p, t in zip(f.params(), f.types) if t == ctype]
        if own and rng.random() < 0.6:
            return rng.choice(own)
        self.temps += 1
        t = f"t{self.temps}"
        if ctype in POINTED:
            array = POINTED[ctype]
            if rng.random() < 0.5:
                return f"&{array}[acc & 7]"
            kind = ctype[len("const "):-2]
            init = "acc + 5" if kind == "long" else \
                "{ " + ", ".join(f"acc * {rng.randrange(2, 9)}" for _ in MEMBERS[kind]) + " }"
            out.append(f"{kind} {t} = {init};")
            return f"&{t}"
        if ctype in MEMBERS:
            fields = ", ".join(f"acc + {rng.randrange(99)}" for _ in MEMBERS[ctype])
            out.append(f"{ctype} {t} = {{ {fields} }};")
            return t
        if ctype == "op2_t" or ctype in COMPLEX:
            return rng.choice(["op2", "extern_two"]) if ctype == "op2_t" else \
                f"(acc + {rng.randrange(99)} + (acc + {rng.randrange(99)}) * 1i)"
        numbers = [p for p, x in zip(f.params(), f.types) if x in SCALARS]
        number = f"{rng.choice(numbers)} + {rng.randrange(3)}" \
            if numbers and rng.random() < 0.4 else f"acc + {rng.randrange(99)}"
        return f"({ctype})({number})"

    def call(self, g, f, out):
        args = []
        for i, ctype in enumerate(g.types):
            if g.const[i] is not None:
                args.append(str(g.const[i] + (g.clones and self.rng.randrange(2))))
            else:
                args.append(self.value(ctype, f, out))
        if self.log:
            args = self.log_args(g, args, out)
        if g.variadic:
            args += ["3", "(int)acc"]
        name = f"ptr_{g.name}" if g.taken and (self.rng.random() < 0.7 or g.unit != f.unit) \
            else g.name
        return f"{name}({', '.join(args)})"

    def log_args(self, g, args, out):
        """Write down what is passed, and pass that."""
        passed = []
        for p, ctype, arg in zip(g.params(), g.types, args):
            self.temps += 1
            t = f"t{self.temps}"
            out.append(f"{ctype} {t} = {arg};")
            for m, _ in MEMBERS.get(ctype, [(None, 0)]):
                index = self.want[g.name][f"{p}__{m}" if m else p][0]
                out.append(f"want[{index}] = (long){t}{'.' + m if m else ''};")
            passed.append(t)
        return passed

    def use_result(self, g, call):
        if g.ret == "void" or g.ret_use == "none":
            return [f"{call};"]
        if g.ret in ("struct pair", "struct wide"):
            names = [m for m, _ in MEMBERS[g.ret]]
            if g.ret_use == "second":
                return [f"mix({call}.{names[1]});"]
            return [f"{g.ret} r = {call};", " ".join(f"mix(r.{m});" for m in names)]
        part = {"struct small": ".b", "const struct pair *": "->first"}.get(g.ret, "")
        return [f"mix({call}{part});"]

    def callees(self, f):
        return [g for g in self.functions
                if not g.noreturn and (g.unit == f.unit or not g.static or g.taken)]

    def external(self, f):
        """A call that can be patched, or goes through a pointer, maybe with f's own arguments."""
        rng = self.rng
        longs = []
        for p, t, used in zip(f.params(), f.types, f.used):
            if used and t not in ("_Bool", "op2_t"):
                longs += self.reads(t, p)
        longs = [f"(long){x}" for x in longs][:3]
        while len(longs) < 3:
            longs.append(f"acc + {rng.randrange(9)}")
        a, b, c = longs
        pairs = [p for p, t in zip(f.params(), f.types) if t == "const struct pair *"]
        kinds = [f"op2({a}, {b})", f"__SCT__null({a}, {b})", f"__SCT__ret0({a}, {b}, {c})",
                 f"__SCT__there({a}, {b})", f"extern_two({a}, {b})"]
        kinds += [f"op1({p})" for p in pairs]
        return rng.choice(kinds)

    def end(self, f):
        """As last_statement(), but what is returned may be written down before."""
        lines = self.last_statement(f)
        if not self.log_returns or not is_number(f.ret):
            return lines
        index = self.want[f.name]["return"][0]
        value = lines[-1][len("return "):-1]
        return lines[:-1] + [f"{f.ret} ret = {value};", f"want[{index}] = (long)ret;",
                             "return ret;"]

    def tail_call(self, f):
        """A call of a function of the same type, by a jump, if there is one."""
        if any([f.homed.count(True), f.guarded, f.room, f.variadic, self.log_returns, f.convention,
                f.ret.startswith("struct"), {*f.types} - {*SCALARS, *POINTED}]):
            return []
        for g in self.callees(f):
            if (g.unit == f.unit or not g.static) and g.nr > f.nr and \
                    (g.types, g.ret, g.variadic, g.convention, g.init) == \
                    (f.types, f.ret, False, None, False):
                out = []
                args = self.log_args(g, f.params(), out) if self.log else f.params()
                return out + [f"musttail return {g.name}({', '.join(args)});"]
        return []

    def last_statement(self, f):
        """The last statement: a value of the function's own, or what another one returns."""
        rng = self.rng
        if f.noreturn:
            return ["stop(acc);"]
        tail = self.tail_call(f)
        if tail and rng.random() < 0.7:
            return tail
        if f.ret == "long" and rng.random() < 0.4:
            return [f"return {self.external(f)};"]
        same = [g for g in self.callees(f)
                if g.nr > f.nr and f.ret in (g.ret, "void") and
                (g.ret_use in ("all", "passed") or f.ret_use == "none")]
        if same and rng.random() < 0.5:
            out = []
            call = self.call(rng.choice(same), f, out)
            return out + [f"{'return ' if f.ret != 'void' else ''}{call};"]
        values = {"struct pair": "(struct pair){ acc, acc * 7 }",
                  "struct wide": "(struct wide){ acc, acc * 3, acc * 5 }",
                  "struct small": "(struct small){ acc, 5 }",
                  "const struct pair *": "&pairs[acc & 7]", "void": ""}
        return [f"return {values.get(f.ret, 'acc')};"] if f.ret != "void" else []

    @staticmethod
    def rooms(f):
        """What a function has on its stack."""
        lines = [f"escape(&{p});" for p, homed in zip(f.params(), f.homed) if homed]
        if f.room == "alloca":
            lines.append("char *dyn = __builtin_alloca((acc & 31) + 8); escape(dyn);")
        if f.room == "cleanup":
            lines.append("__attribute__((cleanup(cleaned))) long c = acc;")
        if f.guarded:
            lines.append("char room[24]; escape(room);")
        return lines

    def body(self, f):
        rng = self.rng
        if f.pure:
            # what a pointer points to isn't one of the arguments
            read = [self.reads(t, p) for t, p in zip(f.types, f.params()) if t != "op2_t" and
                    (f.pure == "pure" or not t.endswith("*"))]
            return [f"acc += ({' + '.join(terms)}) * {rng.randrange(1, 9)};"
                    for terms in read] + ["return acc;"]
        lines = self.rooms(f)
        if rng.random() < 0.75 or f.convention:
            for p, t, used in zip(f.params(), f.types, f.used):
                if not used:
                    continue
                terms = " + ".join(self.reads(t, p))
                cond = rng.choice(["", "", "", "if (noise) "])
                lines.append(f"{cond}acc += ({terms}) * {rng.randrange(1, 9)};")
            lines.append("mix(acc);")
        if f.variadic:
            lines.append("__builtin_va_list l; __builtin_va_start(l, p%d); "
                         "mix(__builtin_va_arg(l, int)); __builtin_va_end(l);" % (len(f.types) - 1))
        if f.convention and not f.keeps_less():
            return lines
        if rng.random() < 0.1:
            lines.append("if (acc == 0x1234567) stop(acc);")
        if rng.random() < 0.2:
            lines.append("__SCT__nothing();")
        for g in rng.sample(self.callees(f), min(rng.randrange(3), len(self.callees(f)))):
            out = []
            call = self.call(g, f, out)
            out += self.use_result(g, call)
            lines.append("if (fuel > 0) { fuel--; " + " ".join(out) + " }")
        if rng.random() < 0.3:
            lines.append(f"mix({self.external(f)});")
        lines += self.detours(f)
        return lines + self.end(f)

    def detours(self, f):
        """Calls in a cold part, a jump by a table behind calls, and jumps to labels."""
        rng = self.rng
        lines = []
        for g in self.callees(f):
            if rng.random() < 0.05:
                out = []
                call = self.call(g, f, out)
                lines.append("if (noise == 77) { chill(); " + " ".join(out) + f" {call}; }}")
        if rng.random() < 0.15:
            cases = [f"case {i}: {self.external(f)}; sum += {rng.randrange(99)}; break;"
                     for i in range(6)]
            lines.append(f"switch (noise) {{ {' '.join(cases)} }}")
        self.temps += 1
        n = self.temps
        if rng.random() < 0.12:
            lines.append(f"static void *const j{n}[] = {{ &&a{n}, &&b{n} }}; goto *j{n}[acc & 1]; "
                         f"a{n}: {self.external(f)}; b{n}: mix(acc);")
        if rng.random() < 0.12:
            lines.append(f'asm goto(IF_NEGATIVE : : "r"(acc) : "cc" : g{n}); {self.external(f)}; '
                         f"g{n}: mix(acc);")
        return lines

    def declarations(self, unit):
        lines = []
        for f in self.functions:
            pointer = f.proto().replace("static ", "").replace("noinline ", "") \
                .replace(f" {f.name}(", f" (*volatile ptr_{f.name})(")
            if f.taken:
                lines.append(f"extern {pointer};")
            if f.unit == unit or not f.static:
                lines.append(f"{f.proto()};")
            if f.taken and f.unit == unit:
                lines.append(f"{pointer} = {f.name};")
        return lines

    def roots(self, unit):
        """Each function is called twice from here, so that there are several callers."""
        lines = [f"void run_{unit}(long acc)", "{"]
        root = Function(random.Random(0), 0)
        root.types, root.unit = [], unit
        for f in self.functions * 2:
            if f.unit != unit or f.noreturn:
                continue
            out = []
            call = self.call(f, root, out)
            out += self.use_result(f, call)
            lines.append("\tif (noise || !noise) { fuel = 60; acc += 3; " + " ".join(out) + " }")
        for cond in ("if (!noise) ", "") if unit == 1 else ():
            out = []
            call = self.call(self.last, root, out)
            lines.append(f"\t{cond}{{ " + " ".join(out) + f" {call}; }}")
        return lines + ["}"]

    def source(self, unit):
        lines = [HEADER, f"void run_{unit}(long acc);"] + self.declarations(unit)
        for f in self.functions:
            if f.unit == unit:
                body = [f"\t{line}" for line in self.body(f)]
                lines += [f.proto(), "{", f"\tlong acc = {f.nr + 1};"] + body + ["}"]
        return "\n".join(lines + self.roots(unit)) + "\n"
