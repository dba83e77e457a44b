; The last words of a process that a kernel crashes: hand-written LLVM IR, compiled with the pool.
;
; crash.py puts in front of it where @at_work lies: 128 lines of 64 bytes, each {thread, text} of
; one thread that is in a kernel, then the signal actions that were there before ours, in the order
; of @number. A text is {start, end, bytes, 0}: where the kernel's code begins and ends comes first.
; The first line is of a kernel that runs where it was submitted, with no thread: it counts where the
; instruction that faulted is the kernel's, or another handler passed the signal on. The handler only reads
; these, writes to the standard error stream and hands the signal on, all of which signal handlers
; may do (POSIX.1-2017, 2.4.3). It keeps nothing: the next one to be told is who was there before.

%Action = type { ptr, [16 x i64], i32, ptr }

declare i64 @pthread_self()
declare i64 @write(i32, ptr, i64)
declare i32 @sigaction(i32, ptr, ptr)
declare i32 @raise(i32)

@segv = private constant [33 x i8] c"unisycl: SIGSEGV (memory access)\00"
@bus = private constant [32 x i8] c"unisycl: SIGBUS (memory access)\00"
@fpe = private constant [29 x i8] c"unisycl: SIGFPE (arithmetic)\00"
@ill = private constant [30 x i8] c"unisycl: SIGILL (instruction)\00"

; The place of a signal among the four, and its name.
define internal i64 @number(i32 %signal) {
  switch i32 %signal, label %segv [ i32 7, label %bus
                                    i32 8, label %fpe
                                    i32 4, label %ill ]
segv:
  ret i64 0
bus:
  ret i64 1
fpe:
  ret i64 2
ill:
  ret i64 3
}

define internal ptr @name(i32 %signal) {
  switch i32 %signal, label %segv [ i32 7, label %bus
                                    i32 8, label %fpe
                                    i32 4, label %ill ]
segv:
  ret ptr @segv
bus:
  ret ptr @bus
fpe:
  ret ptr @fpe
ill:
  ret ptr @ill
}

define internal ptr @before(i32 %signal) {
  %n = call i64 @number(i32 %signal)
  %base = getelementptr i8, ptr @at_work, i64 8192
  %action = getelementptr %Action, ptr %base, i64 %n
  ret ptr %action
}

; Write a text that ends with a zero.
define internal void @say(ptr %text) {
entry:
  br label %loop
loop:
  %n = phi i64 [ 0, %entry ], [ %n1, %loop ]
  %p = getelementptr i8, ptr %text, i64 %n
  %c = load i8, ptr %p
  %end = icmp eq i8 %c, 0
  %n1 = add i64 %n, 1
  br i1 %end, label %out, label %loop
out:
  %r = call i64 @write(i32 2, ptr %text, i64 %n)
  ret void
}

; What the calling thread runs; null if it is in no kernel.
define internal ptr @mine(ptr %context, i1 %sent) {
entry:
  %herep = getelementptr i8, ptr @at_work, i64 8
  %here = load ptr, ptr %herep
  %nobody = icmp eq ptr %here, null
  br i1 %nobody, label %threads, label %range
range:
  %rip = getelementptr i8, ptr %context, i64 168            ; uc_mcontext.gregs[REG_RIP]
  %at = load i64, ptr %rip
  %stopp = getelementptr i8, ptr %here, i64 8
  %start = load i64, ptr %here
  %stop = load i64, ptr %stopp
  %after = icmp uge i64 %at, %start
  %before = icmp ult i64 %at, %stop
  %inside = and i1 %after, %before
  %its.own = or i1 %inside, %sent
  br i1 %its.own, label %this, label %threads
this:
  ret ptr %here
threads:
  %self = call i64 @pthread_self()
  br label %loop
loop:
  %i = phi i64 [ 1, %threads ], [ %i1, %next ]
  %offset = shl i64 %i, 6
  %line = getelementptr i8, ptr @at_work, i64 %offset
  %thread = load atomic i64, ptr %line monotonic, align 8
  %same = icmp eq i64 %thread, %self
  br i1 %same, label %found, label %next
found:
  %textp = getelementptr i8, ptr %line, i64 8
  %text = load ptr, ptr %textp
  ret ptr %text
next:
  %i1 = add i64 %i, 1
  %over = icmp eq i64 %i1, 128
  br i1 %over, label %none, label %loop
none:
  ret ptr null
}

define internal void @handle(i32 %signal, ptr %info, ptr %context) {
  %old = call ptr @before(i32 %signal)
  %codep = getelementptr i8, ptr %info, i64 8
  %code = load i32, ptr %codep
  %sent = icmp sle i32 %code, 0                             ; by kill or raise: nothing repeats it
  %text = call ptr @mine(ptr %context, i1 %sent)
  %other = icmp eq ptr %text, null
  br i1 %other, label %foreign, label %ours
ours:
  %name = call ptr @name(i32 %signal)
  call void @say(ptr %name)
  %bytes = getelementptr i8, ptr %text, i64 16
  call void @say(ptr %bytes)
  br label %hand.on
foreign:
  %handler = load ptr, ptr %old
  %number = ptrtoint ptr %handler to i64
  %none = icmp ult i64 %number, 2                           ; SIG_DFL, SIG_IGN
  br i1 %none, label %hand.on, label %call
call:
  call void %handler(i32 %signal, ptr %info, ptr %context)
  ret void
hand.on:
  ; What faulted does so again after our return, and is told to who was there before us.
  %r = call i32 @sigaction(i32 %signal, ptr %old, ptr null)
  br i1 %sent, label %again, label %out
again:
  %r2 = call i32 @raise(i32 %signal)
  br label %out
out:
  ret void
}

; Take the four signals; returns where @at_work lies.
define ptr @crash_guard() {
entry:
  %new = alloca %Action
  store %Action zeroinitializer, ptr %new
  store ptr @handle, ptr %new
  %flagsp = getelementptr %Action, ptr %new, i32 0, i32 2
  store i32 134217732, ptr %flagsp                          ; SA_SIGINFO | SA_ONSTACK
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %loop ]
  %shift = shl i32 %i, 3
  %list = lshr i32 67634955, %shift                         ; bytes: 11, 7, 8, 4
  %signal = and i32 %list, 255
  %old = call ptr @before(i32 %signal)
  %r = call i32 @sigaction(i32 %signal, ptr %new, ptr %old)
  %i1 = add i32 %i, 1
  %over = icmp eq i32 %i1, 4
  br i1 %over, label %out, label %loop
out:
  ret ptr @at_work
}
