; The children of a kernel: one thread launches them on the pool, and theirs, until none is left.
;
; trees.py fills in the tables below and runs @tree_run as a job of its own. Nothing here touches
; Python. All lists belong to the one thread that runs; the pool's jobs are what other threads see.
;
; Life of a command
;   ready     it waits for nothing more and stands in a list, last in first out: the newest
;             generation first, so that what is kept grows with its depth, not with its breadth.
;   running   its kernel was given to the pool; at most 64 are.
;   ended     what its kernel wrote down becomes commands; `left` counts them and itself.
;   complete  nothing is left: those that wait for it may go, then its parent is told.
;
; Tables, in bytes
;   context   0 address of the job's error cell, 8 pool_submit, 16 pool_wait, 24 pool, 32 kin,
;             40 help_ns, 48 kin that failed, 56 its status, 64 ready, 72 spare memory, 80 how many
;             run, 88 code of the first failure, 104 facts for counters, 128 those that run
;   kin       256 each: 0 entry, 8 kind (0 fixed, 1 range, 2 nd_range), 16 dimensions, 24 bytes of
;             the argument block, 32 block, 40 how many numbers, 48 of each: its place in the block
;             and in the record, 56 how many memories, 64 of each: its place in the block, and 0
;             for the records, 1 for their counter, 72 local range, 96 lanes, 104 least share of a
;             tile, 112 tiles wanted, 120 kin of its children, 128 units, 136 grain, 144 number
;   command   0 kin or null, 8 parent, 16 left, 24 error, 32 generation, 40 list of those that wait
;             for it, 48 next in a list, 56 memory, 64 record, 320 job, 592 argument block
;   memory    0 counter (next in the list of spare ones), 4 facts, 64 records of 256
;   waiting   0 command, 8 next

declare ptr @malloc(i64)
declare void @free(ptr)
declare ptr @memcpy(ptr, ptr, i64)
declare ptr @memset(ptr, i32, i64)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)

define internal ptr @place(ptr %p, i64 %offset) alwaysinline {
  %at = getelementptr i8, ptr %p, i64 %offset
  ret ptr %at
}

define internal i64 @word(ptr %p, i64 %offset) alwaysinline {
  %at = getelementptr i8, ptr %p, i64 %offset
  %value = load i64, ptr %at
  ret i64 %value
}

define internal ptr @link(ptr %p, i64 %offset) alwaysinline {
  %at = getelementptr i8, ptr %p, i64 %offset
  %value = load ptr, ptr %at
  ret ptr %value
}

define internal void @set(ptr %p, i64 %offset, i64 %value) alwaysinline {
  %at = getelementptr i8, ptr %p, i64 %offset
  store i64 %value, ptr %at
  ret void
}

define internal void @tie(ptr %p, i64 %offset, ptr %value) alwaysinline {
  %at = getelementptr i8, ptr %p, i64 %offset
  store ptr %value, ptr %at
  ret void
}

; Put a command at the front of the ready ones.
define internal void @push(ptr %c, ptr %m) {
  %head = call ptr @link(ptr %c, i64 64)
  call void @tie(ptr %m, i64 48, ptr %head)
  call void @tie(ptr %c, i64 64, ptr %m)
  ret void
}

; Note that a command cannot run; the first one is what the host is told of.
define internal void @fail(ptr %c, ptr %m, i64 %code, i64 %status) {
entry:
  call void @set(ptr %m, i64 24, i64 %code)
  %before = call i64 @word(ptr %c, i64 88)
  %first = icmp eq i64 %before, 0
  br i1 %first, label %note, label %done
note:
  call void @set(ptr %c, i64 88, i64 %code)
  call void @set(ptr %c, i64 56, i64 %status)
  %kin = call ptr @link(ptr %m, i64 0)
  %marker = icmp eq ptr %kin, null
  br i1 %marker, label %none, label %some
none:
  call void @set(ptr %c, i64 48, i64 -1)
  ret void
some:
  %number = call i64 @word(ptr %kin, i64 144)
  call void @set(ptr %c, i64 48, i64 %number)
  br label %done
done:
  ret void
}

; A kernel ended, or the last of its children: whoever waited may go, up to the root.
define internal void @ended(ptr %c, ptr %first) {
entry:
  br label %next
next:
  %m = phi ptr [ %first, %entry ], [ %parent, %up ]
  %before = call i64 @word(ptr %m, i64 16)
  %left = sub i64 %before, 1
  call void @set(ptr %m, i64 16, i64 %left)
  %complete = icmp eq i64 %left, 0
  br i1 %complete, label %tell, label %done
tell:
  %error = call i64 @word(ptr %m, i64 24)
  %failed = icmp ne i64 %error, 0
  %list = call ptr @link(ptr %m, i64 40)
  br label %waiters
waiters:
  %w = phi ptr [ %list, %tell ], [ %others, %told ]
  %last = icmp eq ptr %w, null
  br i1 %last, label %above, label %waiter
waiter:
  %o = call ptr @link(ptr %w, i64 0)
  %others = call ptr @link(ptr %w, i64 8)
  call void @free(ptr %w)
  br i1 %failed, label %inherit, label %count
inherit:
  call void @set(ptr %o, i64 24, i64 %error)
  br label %count
count:
  %waits = call i64 @word(ptr %o, i64 16)
  %fewer = sub i64 %waits, 1
  call void @set(ptr %o, i64 16, i64 %fewer)
  %go = icmp eq i64 %fewer, 0
  br i1 %go, label %ready, label %told
ready:
  call void @push(ptr %c, ptr %o)
  br label %told
told:
  br label %waiters
above:
  %parent = call ptr @link(ptr %m, i64 8)
  %root = icmp eq ptr %parent, null
  br i1 %root, label %done, label %child
child:
  call void @free(ptr %m)
  br i1 %failed, label %pass, label %up
pass:
  call void @set(ptr %parent, i64 24, i64 %error)
  br label %up
up:
  br label %next
done:
  ret void
}

; Return memory for commands, its counter zero.
define internal ptr @memory(ptr %c) {
entry:
  %spare = call ptr @link(ptr %c, i64 72)
  %none = icmp eq ptr %spare, null
  br i1 %none, label %fresh, label %old
fresh:
  %made = call ptr @malloc(i64 MEMORY_BYTES)
  br label %done
old:
  %rest = call ptr @link(ptr %spare, i64 0)
  call void @tie(ptr %c, i64 72, ptr %rest)
  br label %done
done:
  %found = phi ptr [ %made, %fresh ], [ %spare, %old ]
  call ptr @memset(ptr %found, i32 0, i64 64)
  %facts = call i64 @word(ptr %c, i64 104)
  %at = call ptr @place(ptr %found, i64 4)
  store i64 %facts, ptr %at, align 4
  ret ptr %found
}

; Write extents, offsets and tiles to a block; the units of work, -1 if there are too many items.
define internal i64 @cut(ptr %kin, ptr %m, ptr %block) {
entry:
  %units = alloca i64
  %share = alloca i64
  %items = alloca i64
  %sum = alloca i64
  %i = alloca i64
  store i64 1, ptr %units
  store i64 1, ptr %items
  store i64 0, ptr %sum
  store i64 0, ptr %i
  %n = call i64 @word(ptr %kin, i64 16)
  %kind = call i64 @word(ptr %kin, i64 8)
  %grouped = icmp eq i64 %kind, 2
  br label %sizes
sizes:
  %d = load i64, ptr %i
  %more = icmp slt i64 %d, %n
  br i1 %more, label %size, label %sized
size:
  %d8 = mul i64 %d, 8
  %extent_at = add i64 %d8, 96
  %offset_at = add i64 %d8, 120
  %extent = call i64 @word(ptr %m, i64 %extent_at)
  %offset = call i64 @word(ptr %m, i64 %offset_at)
  %local_at = add i64 %d8, 72
  %local = call i64 @word(ptr %kin, i64 %local_at)
  %divisor = select i1 %grouped, i64 %local, i64 1
  %count = sdiv i64 %extent, %divisor
  call void @set(ptr %block, i64 %d8, i64 %count)
  %nd = add i64 %n, %d
  %nd8 = mul i64 %nd, 8
  call void @set(ptr %block, i64 %nd8, i64 %offset)
  %n2d = add i64 %nd, %n
  %n2d8 = mul i64 %n2d, 8
  call void @set(ptr %block, i64 %n2d8, i64 1)
  %s0 = load i64, ptr %sum
  %s1 = add i64 %s0, %extent
  %s2 = add i64 %s1, %offset
  store i64 %s2, ptr %sum
  %u0 = load i64, ptr %units
  %u1 = mul i64 %u0, %count
  store i64 %u1, ptr %units
  %t0 = load i64, ptr %items
  %t1 = mul i64 %t0, %extent
  store i64 %t1, ptr %items
  %next_d = add i64 %d, 1
  store i64 %next_d, ptr %i
  %whole = icmp slt i64 %extent, 2147483648
  br i1 %whole, label %sizes, label %toomany
sized:
  %total = load i64, ptr %sum
  %fits = icmp ult i64 %total, 2147483648
  br i1 %fits, label %fit, label %toomany
toomany:
  ret i64 -1
fit:
  %groups = load i64, ptr %units
  br i1 %grouped, label %done, label %tiles
done:
  ret i64 %groups
tiles:
  %lanes = call i64 @word(ptr %kin, i64 96)
  %least = call i64 @word(ptr %kin, i64 104)
  %wanted = call i64 @word(ptr %kin, i64 112)
  %all = load i64, ptr %items
  %up0 = add i64 %all, %wanted
  %up1 = sub i64 %up0, 1
  %each = sdiv i64 %up1, %wanted
  %fair = call i64 @llvm.smax.i64(i64 %least, i64 %each)
  %some = call i64 @llvm.smax.i64(i64 %fair, i64 %lanes)
  %last_d = sub i64 %n, 1
  %last8 = mul i64 %last_d, 8
  %last = call i64 @word(ptr %block, i64 %last8)
  %a0 = call i64 @llvm.smin.i64(i64 %last, i64 %some)
  %a1 = add i64 %a0, %lanes
  %a2 = sub i64 %a1, 1
  %a3 = sdiv i64 %a2, %lanes
  %along = mul i64 %a3, %lanes
  %n2 = mul i64 %n, 16
  %tile_at = add i64 %n2, %last8
  call void @set(ptr %block, i64 %tile_at, i64 %along)
  %b0 = add i64 %last, %along
  %b1 = sub i64 %b0, 1
  %b2 = sdiv i64 %b1, %along
  store i64 %b2, ptr %units
  %l0 = call i64 @llvm.smin.i64(i64 %along, i64 %last)
  %l1 = call i64 @llvm.smax.i64(i64 %l0, i64 1)
  %l2 = sdiv i64 %fair, %l1
  %l3 = call i64 @llvm.smax.i64(i64 %l2, i64 1)
  store i64 %l3, ptr %share
  %before = sub i64 %n, 2
  store i64 %before, ptr %i
  br label %outer
outer:
  %e = load i64, ptr %i
  %again = icmp sge i64 %e, 0
  br i1 %again, label %tile, label %tiled
tile:
  %e8 = mul i64 %e, 8
  %wide = call i64 @word(ptr %block, i64 %e8)
  %h0 = load i64, ptr %share
  %t = call i64 @llvm.smin.i64(i64 %wide, i64 %h0)
  %et = add i64 %n2, %e8
  call void @set(ptr %block, i64 %et, i64 %t)
  %g0 = add i64 %wide, %t
  %g1 = sub i64 %g0, 1
  %g2 = sdiv i64 %g1, %t
  %v0 = load i64, ptr %units
  %v1 = mul i64 %v0, %g2
  store i64 %v1, ptr %units
  %h1 = sdiv i64 %h0, %wide
  %h2 = call i64 @llvm.smax.i64(i64 %h1, i64 1)
  store i64 %h2, ptr %share
  %e_less = sub i64 %e, 1
  store i64 %e_less, ptr %i
  br label %outer
tiled:
  %found = load i64, ptr %units
  ret i64 %found
}

; Write a command's argument block and give its kernel to the pool.
define internal void @launch(ptr %c, ptr %m) {
entry:
  %i = alloca i64
  store i64 0, ptr %i
  %kin = call ptr @link(ptr %m, i64 0)
  %job = call ptr @place(ptr %m, i64 320)
  %block = call ptr @place(ptr %m, i64 592)
  call ptr @memset(ptr %job, i32 0, i64 272)
  %template = call ptr @link(ptr %kin, i64 32)
  %bytes = call i64 @word(ptr %kin, i64 24)
  call ptr @memcpy(ptr %block, ptr %template, i64 %bytes)
  %numbers = call i64 @word(ptr %kin, i64 40)
  %places = call ptr @link(ptr %kin, i64 48)
  %record = call ptr @place(ptr %m, i64 64)
  br label %fill
fill:
  %k = load i64, ptr %i
  %more = icmp slt i64 %k, %numbers
  br i1 %more, label %number, label %filled
number:
  %k16 = mul i64 %k, 16
  %k24 = add i64 %k16, 8
  %to = call i64 @word(ptr %places, i64 %k16)
  %from = call i64 @word(ptr %places, i64 %k24)
  %value = call i64 @word(ptr %record, i64 %from)
  call void @set(ptr %block, i64 %to, i64 %value)
  %k1 = add i64 %k, 1
  store i64 %k1, ptr %i
  br label %fill
filled:
  %kind = call i64 @word(ptr %kin, i64 8)
  %fixed = icmp eq i64 %kind, 0
  br i1 %fixed, label %asis, label %measure
asis:
  %units0 = call i64 @word(ptr %kin, i64 128)
  %grain0 = call i64 @word(ptr %kin, i64 136)
  br label %sized
measure:
  %units1 = call i64 @cut(ptr %kin, ptr %m, ptr %block)
  %wrong = icmp slt i64 %units1, 0
  br i1 %wrong, label %large, label %grains
large:
  call void @fail(ptr %c, ptr %m, i64 5, i64 0)
  call void @ended(ptr %c, ptr %m)
  ret void
grains:
  %wanted = call i64 @word(ptr %kin, i64 112)
  %part = sdiv i64 %units1, %wanted
  %parts = call i64 @llvm.smax.i64(i64 %part, i64 1)
  %grouped = icmp eq i64 %kind, 2
  %grain1 = select i1 %grouped, i64 %parts, i64 1
  br label %sized
sized:
  %units = phi i64 [ %units0, %asis ], [ %units1, %grains ]
  %grain = phi i64 [ %grain0, %asis ], [ %grain1, %grains ]
  %memories = call i64 @word(ptr %kin, i64 56)
  %has = icmp sgt i64 %memories, 0
  br i1 %has, label %own, label %give
own:
  %memory = call ptr @memory(ptr %c)
  call void @tie(ptr %m, i64 56, ptr %memory)
  %slots = call ptr @link(ptr %kin, i64 64)
  store i64 0, ptr %i
  br label %bind
bind:
  %b = load i64, ptr %i
  %unbound = icmp slt i64 %b, %memories
  br i1 %unbound, label %one, label %give
one:
  %b16 = mul i64 %b, 16
  %b24 = add i64 %b16, 8
  %slot = call i64 @word(ptr %slots, i64 %b16)
  %which = call i64 @word(ptr %slots, i64 %b24)
  %counter = icmp ne i64 %which, 0
  %past = select i1 %counter, i64 0, i64 64
  %address = call ptr @place(ptr %memory, i64 %past)
  call void @tie(ptr %block, i64 %slot, ptr %address)
  %b1 = add i64 %b, 1
  store i64 %b1, ptr %i
  br label %bind
give:
  %entry_at = call ptr @link(ptr %kin, i64 0)
  call void @tie(ptr %job, i64 0, ptr %entry_at)
  call void @tie(ptr %job, i64 8, ptr %block)
  call void @set(ptr %job, i64 16, i64 %units)
  call void @set(ptr %job, i64 24, i64 %grain)
  %pool = call ptr @link(ptr %c, i64 24)
  call void @tie(ptr %job, i64 32, ptr %pool)
  call void @set(ptr %job, i64 56, i64 -1)
  %running = call i64 @word(ptr %c, i64 80)
  %running8 = mul i64 %running, 8
  %at = add i64 %running8, 128
  call void @tie(ptr %c, i64 %at, ptr %m)
  %running1 = add i64 %running, 1
  call void @set(ptr %c, i64 80, i64 %running1)
  %submit = call ptr @link(ptr %c, i64 8)
  call void %submit(ptr %job)
  ret void
}

; Begin a command that waits for nothing more: markers, failed ones and empty ranges end at once.
define internal void @begin(ptr %c, ptr %m) {
entry:
  call void @set(ptr %m, i64 16, i64 1)
  %kin = call ptr @link(ptr %m, i64 0)
  %marker = icmp eq ptr %kin, null
  br i1 %marker, label %over, label %kernel
kernel:
  %error = call i64 @word(ptr %m, i64 24)
  %failed = icmp ne i64 %error, 0
  br i1 %failed, label %over, label %sound
sound:
  %kind = call i64 @word(ptr %kin, i64 8)
  %fixed = icmp eq i64 %kind, 0
  br i1 %fixed, label %go, label %first
first:
  %x = call i64 @word(ptr %m, i64 96)
  %x0 = icmp eq i64 %x, 0
  br i1 %x0, label %over, label %second
second:
  %n = call i64 @word(ptr %kin, i64 16)
  %two = icmp sge i64 %n, 2
  %y = call i64 @word(ptr %m, i64 104)
  %y0 = icmp eq i64 %y, 0
  %no_y = and i1 %two, %y0
  br i1 %no_y, label %over, label %third
third:
  %three = icmp sge i64 %n, 3
  %z = call i64 @word(ptr %m, i64 112)
  %z0 = icmp eq i64 %z, 0
  %no_z = and i1 %three, %z0
  br i1 %no_z, label %over, label %go
go:
  call void @launch(ptr %c, ptr %m)
  ret void
over:
  call void @ended(ptr %c, ptr %m)
  ret void
}

; Make commands of the records a kernel wrote, and put those that wait for nothing with the ready.
define internal void @adopt(ptr %c, ptr %m, ptr %records, i64 %n) {
entry:
  %i = alloca i64
  %j = alloca i64
  store i64 0, ptr %i
  %bytes = mul i64 %n, 8
  %made = call ptr @malloc(i64 %bytes)
  %table = call ptr @link(ptr %c, i64 32)
  %kin = call ptr @link(ptr %m, i64 0)
  %children = call ptr @link(ptr %kin, i64 120)
  %depth0 = call i64 @word(ptr %m, i64 32)
  %depth = add i64 %depth0, 1
  br label %making
making:
  %k = load i64, ptr %i
  %more = icmp slt i64 %k, %n
  br i1 %more, label %make, label %all
make:
  %k256 = mul i64 %k, 256
  %record = call ptr @place(ptr %records, i64 %k256)
  %number = call i64 @word(ptr %record, i64 0)
  %kernel = icmp sge i64 %number, 0
  br i1 %kernel, label %known, label %plain
known:
  %number8 = mul i64 %number, 8
  %which = call i64 @word(ptr %children, i64 %number8)
  %which256 = mul i64 %which, 256
  %its = call ptr @place(ptr %table, i64 %which256)
  %block = call i64 @word(ptr %its, i64 24)
  br label %one
plain:
  br label %one
one:
  %own = phi ptr [ %its, %known ], [ null, %plain ]
  %extra = phi i64 [ %block, %known ], [ 0, %plain ]
  %size = add i64 %extra, 592
  %o = call ptr @malloc(i64 %size)
  call ptr @memset(ptr %o, i32 0, i64 64)
  call void @tie(ptr %o, i64 0, ptr %own)
  call void @tie(ptr %o, i64 8, ptr %m)
  call void @set(ptr %o, i64 32, i64 %depth)
  %copy = call ptr @place(ptr %o, i64 64)
  call ptr @memcpy(ptr %copy, ptr %record, i64 256)
  %k8 = mul i64 %k, 8
  call void @tie(ptr %made, i64 %k8, ptr %o)
  %event = icmp eq i64 %number, -2
  %one_more = select i1 %event, i64 0, i64 1
  %left0 = call i64 @word(ptr %m, i64 16)
  %left1 = add i64 %left0, %one_more
  call void @set(ptr %m, i64 16, i64 %left1)
  %k1 = add i64 %k, 1
  store i64 %k1, ptr %i
  br label %making
all:
  store i64 0, ptr %i
  br label %waits
waits:
  %w = load i64, ptr %i
  %w_more = icmp slt i64 %w, %n
  br i1 %w_more, label %each, label %waited
each:
  %w8 = mul i64 %w, 8
  %w1 = add i64 %w, 1
  store i64 %w1, ptr %i
  %p = call ptr @link(ptr %made, i64 %w8)
  %p_number = call i64 @word(ptr %p, i64 64)
  %p_event = icmp eq i64 %p_number, -2
  br i1 %p_event, label %waits, label %its_waits
its_waits:
  %count = call i64 @word(ptr %p, i64 80)
  store i64 0, ptr %j
  br label %lists
lists:
  %a = load i64, ptr %j
  %a_more = icmp slt i64 %a, %count
  br i1 %a_more, label %wait, label %waits
wait:
  %a1 = add i64 %a, 1
  store i64 %a1, ptr %j
  %a8 = mul i64 %a, 8
  %a_at = add i64 %a8, 144
  %e = call i64 @word(ptr %p, i64 %a_at)
  %there = icmp ult i64 %e, %n
  br i1 %there, label %other, label %unknown
unknown:
  call void @fail(ptr %c, ptr %p, i64 3, i64 %e)
  br label %lists
other:
  %e8 = mul i64 %e, 8
  %q = call ptr @link(ptr %made, i64 %e8)
  %q_number = call i64 @word(ptr %q, i64 64)
  %q_event = icmp eq i64 %q_number, -2
  br i1 %q_event, label %user, label %command
user:
  %status = call i64 @word(ptr %q, i64 80)
  switch i64 %status, label %bad [ i64 0, label %lists
                                   i64 2, label %unset ]
unset:
  call void @fail(ptr %c, ptr %p, i64 1, i64 0)
  br label %lists
bad:
  call void @fail(ptr %c, ptr %p, i64 2, i64 %status)
  br label %lists
command:
  %node = call ptr @malloc(i64 16)
  %others = call ptr @link(ptr %q, i64 40)
  call void @tie(ptr %node, i64 0, ptr %p)
  call void @tie(ptr %node, i64 8, ptr %others)
  call void @tie(ptr %q, i64 40, ptr %node)
  %p_left = call i64 @word(ptr %p, i64 16)
  %p_left1 = add i64 %p_left, 1
  call void @set(ptr %p, i64 16, i64 %p_left1)
  br label %lists
waited:
  store i64 %n, ptr %i
  br label %readies
readies:
  %r0 = load i64, ptr %i
  %r_more = icmp sgt i64 %r0, 0
  br i1 %r_more, label %ready, label %done
ready:
  %r = sub i64 %r0, 1
  store i64 %r, ptr %i
  %r8 = mul i64 %r, 8
  %s = call ptr @link(ptr %made, i64 %r8)
  %s_number = call i64 @word(ptr %s, i64 64)
  %s_event = icmp eq i64 %s_number, -2
  br i1 %s_event, label %drop, label %keep
drop:
  call void @free(ptr %s)
  br label %readies
keep:
  %s_left = call i64 @word(ptr %s, i64 16)
  %free = icmp eq i64 %s_left, 0
  br i1 %free, label %put, label %readies
put:
  call void @push(ptr %c, ptr %s)
  br label %readies
done:
  call void @free(ptr %made)
  ret void
}

; Take what a kernel that ended wrote down.
define internal void @collect(ptr %c, ptr %m) {
entry:
  %memory = call ptr @link(ptr %m, i64 56)
  %none = icmp eq ptr %memory, null
  br i1 %none, label %done, label %look
look:
  %count = load i32, ptr %memory
  %wide = sext i32 %count to i64
  %some = call i64 @llvm.smax.i64(i64 %wide, i64 0)
  %n = call i64 @llvm.smin.i64(i64 %some, i64 CAPACITY)
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %deep, label %spare
deep:
  %depth = call i64 @word(ptr %m, i64 32)
  %endless = icmp sge i64 %depth, GENERATIONS
  br i1 %endless, label %stop, label %take
stop:
  call void @fail(ptr %c, ptr %m, i64 4, i64 0)
  br label %spare
take:
  %records = call ptr @place(ptr %memory, i64 64)
  call void @adopt(ptr %c, ptr %m, ptr %records, i64 %n)
  br label %spare
spare:
  %rest = call ptr @link(ptr %c, i64 72)
  call void @tie(ptr %memory, i64 0, ptr %rest)
  call void @tie(ptr %c, i64 72, ptr %memory)
  call void @tie(ptr %m, i64 56, ptr null)
  br label %done
done:
  call void @ended(ptr %c, ptr %m)
  ret void
}

; Return a kernel that has ended and take it from those that run; null if none has.
define internal ptr @finished(ptr %c) {
entry:
  %running = call i64 @word(ptr %c, i64 80)
  br label %look
look:
  %k = phi i64 [ 0, %entry ], [ %k1, %next ]
  %more = icmp slt i64 %k, %running
  br i1 %more, label %ask, label %none
ask:
  %k8 = mul i64 %k, 8
  %at = add i64 %k8, 128
  %m = call ptr @link(ptr %c, i64 %at)
  %state_at = call ptr @place(ptr %m, i64 512)
  %state = load atomic i32, ptr %state_at acquire, align 8
  %bit = and i32 %state, 1
  %over = icmp ne i32 %bit, 0
  br i1 %over, label %found, label %next
next:
  %k1 = add i64 %k, 1
  br label %look
none:
  ret ptr null
found:
  %last = sub i64 %running, 1
  call void @set(ptr %c, i64 80, i64 %last)
  %last8 = mul i64 %last, 8
  %last_at = add i64 %last8, 128
  %moved = call ptr @link(ptr %c, i64 %last_at)
  call void @tie(ptr %c, i64 %at, ptr %moved)
  ret ptr %m
}

; Run the first kernel of a table and all that comes of it.
define void @tree_run(ptr %c, i64 %begin_unit, i64 %end_unit, i64 %worker) {
entry:
  %table = call ptr @link(ptr %c, i64 32)
  %bytes = call i64 @word(ptr %table, i64 24)
  %size = add i64 %bytes, 592
  %root = call ptr @malloc(i64 %size)
  call ptr @memset(ptr %root, i32 0, i64 320)
  call void @tie(ptr %root, i64 0, ptr %table)
  call void @begin(ptr %c, ptr %root)
  br label %turn
turn:
  %running = call i64 @word(ptr %c, i64 80)
  %full = icmp sge i64 %running, 64
  %ready = call ptr @link(ptr %c, i64 64)
  %none = icmp eq ptr %ready, null
  %no = or i1 %full, %none
  br i1 %no, label %look, label %start
start:
  %rest = call ptr @link(ptr %ready, i64 48)
  call void @tie(ptr %c, i64 64, ptr %rest)
  call void @begin(ptr %c, ptr %ready)
  br label %turn
look:
  %idle = icmp eq i64 %running, 0
  br i1 %idle, label %over, label %ask
ask:
  %m = call ptr @finished(ptr %c)
  %wait = icmp eq ptr %m, null
  br i1 %wait, label %sleep, label %take
take:
  call void @collect(ptr %c, ptr %m)
  br label %turn
sleep:
  %oldest = call ptr @link(ptr %c, i64 128)
  %job = call ptr @place(ptr %oldest, i64 320)
  %wait_for = call ptr @link(ptr %c, i64 16)
  %help = call i64 @word(ptr %c, i64 40)
  %alone = icmp eq i64 %running, 1
  %short = select i1 %alone, i64 50000000, i64 50000
  %done = call i32 %wait_for(ptr %job, i64 %short, i64 %help)
  br label %turn
over:
  %code = call i64 @word(ptr %c, i64 88)
  %well = icmp eq i64 %code, 0
  br i1 %well, label %tidy, label %tell
tell:
  %cell = call ptr @link(ptr %c, i64 0)
  store atomic i64 %code, ptr %cell monotonic, align 8
  br label %tidy
tidy:
  %spare = call ptr @link(ptr %c, i64 72)
  %empty = icmp eq ptr %spare, null
  br i1 %empty, label %end, label %drop
drop:
  %others = call ptr @link(ptr %spare, i64 0)
  call void @tie(ptr %c, i64 72, ptr %others)
  call void @free(ptr %spare)
  br label %tidy
end:
  call void @free(ptr %root)
  ret void
}
