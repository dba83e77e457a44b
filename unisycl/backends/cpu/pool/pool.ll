; The work-group thread pool of the native CPU: hand-written LLVM IR, compiled in the user's
; process.
;
; pool.py appends a short prelude for the machine it runs on (the global @sys_futex, the function
; @relax), checks the sizes of the two structures below against its own and compiles the whole.
; Linux only, 64 bits. Nothing here touches Python: no function needs the GIL, none takes it.
;
; Life of a job
;   submit    registers one edge in every dependency that is not done. `waiting` counts them plus
;             one for submit itself; whoever takes it to zero makes the job ready.
;   queued    ready jobs stand in the pool's first-in first-out list, which holds one reference to
;             them (counted in `active`). A participant joins under the lock, only while the job is
;             in the list, and adds a reference; the last participant that can find a chunk takes
;             the job out of the list and inherits the list's reference. So nobody can meet a job
;             that may be gone.
;   running   participants claim chunks of `grain` units with one atomic addition until none is
;             left.
;   wider     a job that was thought short has few participants at first. Who finds it longer than
;             that takes it back into the list, with a reference of its own, for all who may join.
;   complete  whoever drops the last reference closes the list of successors, publishes `state` and
;             then never touches the job's memory again: its owner may free or reuse it at once.
;             (A futex wake may still name its address. That is harmless: the kernel only looks for
;             sleepers there, and every sleeper of this file checks its condition again.)
;
; Memory order
;   A predecessor's writes reach a successor's entry through: its participants' `active` decrement
;   (acq_rel), the completer's `waiting` decrement (acq_rel), the pool lock (release, acquire). They
;   reach a waiting thread through `state` (release, acquire). Everything else that is atomic and
;   `monotonic` is only a hint that is checked again under the lock, or a counter.

%Pool = type {
  i32,        ;  0 lock: 0 free, 1 held, 2 held and somebody may sleep on it
  i32,        ;  1 epoch: futex word on which idle workers sleep
  i32,        ;  2 sleepers: workers asleep on epoch                            (lock)
  i32,        ;  3 woken: of those, how many a wake is on its way to            (lock)
  i32,        ;  4 spinners: workers that look for work without sleeping        (lock)
  i32,        ;  5 demand: participants that the queued jobs could still use    (lock)
  ptr,        ;  6 head of the queue of ready jobs; peeked at without lock by spinners
  ptr,        ;  7 tail                                                         (lock)
  [3 x i64],  ;  8 turns: how often the queue called for spinners               (lock); rest unused
              ;    next cache line: what hardly ever changes
  i32,        ;  9 stop: 1 drain the queue and end, 2 end and fail what has not begun
  i32,        ; 10 n_threads
  i32,        ; 11 max_spinners
  i32,        ; 12 next_worker: how many workers have taken an id
  i64,        ; 13 spin_ns: how long a worker or a waiting thread spins before it sleeps
  i64,        ; 14 stack_bytes of a worker
  ptr,        ; 15 threads: array of n_threads pthread_t
  i32,        ; 16 alive: workers that have not ended; futex word of @pool_join_all
  i32,        ; 17
  i64,        ; 18 helpers: one bit for each worker id above n_threads that is in use
  ptr,        ; 19 table: where threads say what they run, see crash.ll; or null
              ;    next cache line
  [8 x i64]   ; 20 call: a copy of turns written after the lock is released. Spinners watch this
              ;    one: watching the line of the lock would take it from its holder each time.
}

%Job = type {
  ptr,        ;  0 entry: void (ptr args, i64 begin, i64 end, i64 worker)
  ptr,        ;  1 args
  i64,        ;  2 units, at most 2^62
  i64,        ;  3 grain: units in a chunk
  ptr,        ;  4 pool
  ptr,        ;  5 edges: array of n_edges %Edge; null: those at the end of the job
  i32,        ;  6 n_edges
  i32,        ;  7 wanted: most participants; before @pool_submit the most that pay, 0: all
  i64,        ;  8 error_at: where in args to store the address of `error`; negative: nowhere
  ptr,        ;  9 successors: list of %Edge; address 1: closed, that is, the job is done
  i32,        ; 10 waiting: dependencies not done, plus one until submit has registered them all
  i32,        ; 11 dep_failed: a dependency failed, so the entry is not run
  ptr,        ; 12 next in a queue or list                                      (lock)
  ptr,        ; 13 previous in the queue                                        (lock)
  i32,        ; 14 queued: stands in the queue                                  (lock)
  i32,        ; 15 participants                                                 (lock)
  i32,        ; 16 active: references, see above
  i32,        ; 17 started                                                      (lock)
  i64,        ; 18 start_ns of CLOCK_MONOTONIC
  i64,        ; 19 end_ns
  i64,        ; 20 next_unit: first unit not yet claimed; alone in its cache line
  ptr,        ; 21 words: what to say should it crash, see crash.ll; or null
  [6 x i64],  ; 22 first: ns after which more participants pay than were wanted, 0: never; second:
              ;    how many there may be then
  i32,        ; 23 state: futex word; 1 done, 2 failed, 4 somebody may sleep on it
  i32,        ; 24 given: @pool_submit was called
  i64,        ; 25 error: not 0 stops the job; entries store here, -1 is ours: given up at exit
  [4 x %Edge] ; 26 room for the edges of most jobs
}

; An edge lies in the successor's memory and, once registered, is linked into the dependency's list.
%Edge = type {
  ptr,        ;  0 before submit the dependency, afterwards the successor
  ptr         ;  1 next edge of the dependency
}

%Time = type { i64, i64 }

declare i64 @syscall(i64, ...)
declare i32 @clock_gettime(i32, ptr)
declare i32 @prctl(i32, ...)
declare i32 @pthread_attr_init(ptr)
declare i32 @pthread_attr_setstacksize(ptr, i64)
declare i32 @pthread_attr_destroy(ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare i32 @pthread_join(i64, ptr)
declare ptr @memcpy(ptr, ptr, i64)
declare i32 @llvm.smin.i32(i32, i32)
declare i64 @llvm.smin.i64(i64, i64)
declare i64 @llvm.smax.i64(i64, i64)
declare i64 @llvm.umin.i64(i64, i64)

@thread_name = private constant [8 x i8] c"unisycl\00"

; Part: system calls, time.

define internal i64 @now() {
  %t = alloca %Time
  %r = call i32 @clock_gettime(i32 1, ptr %t)             ; CLOCK_MONOTONIC
  %s = load i64, ptr %t
  %np = getelementptr %Time, ptr %t, i32 0, i32 1
  %n = load i64, ptr %np
  %sn = mul i64 %s, 1000000000
  %sum = add i64 %sn, %n
  ret i64 %sum
}

; Sleep while *word == seen; ns < 0: without limit. May return early; callers check again.
define internal void @futex_wait(ptr %word, i32 %seen, i64 %ns) {
entry:
  %t = alloca %Time
  %call = load i64, ptr @sys_futex
  %endless = icmp slt i64 %ns, 0
  br i1 %endless, label %go, label %limit
limit:
  %s = udiv i64 %ns, 1000000000
  %n = urem i64 %ns, 1000000000
  store i64 %s, ptr %t
  %np = getelementptr %Time, ptr %t, i32 0, i32 1
  store i64 %n, ptr %np
  br label %go
go:
  %tp = phi ptr [ null, %entry ], [ %t, %limit ]
  ; 128: FUTEX_WAIT | FUTEX_PRIVATE_FLAG
  %r = call i64 (i64, ...) @syscall(i64 %call, ptr %word, i32 128, i32 %seen, ptr %tp, ptr null,
                                    i32 0)
  ret void
}

define internal void @futex_wake(ptr %word, i32 %count) {
  %call = load i64, ptr @sys_futex
  ; 129: FUTEX_WAKE | FUTEX_PRIVATE_FLAG
  %r = call i64 (i64, ...) @syscall(i64 %call, ptr %word, i32 129, i32 %count, ptr null, ptr null,
                                    i32 0)
  ret void
}

; Part: the pool's lock.

; Held for a few dozen instructions at a time. Spins a little, then sleeps, so that a holder that
; was descheduled (more threads than cores) gets its core back.
define internal void @lock(ptr %p) {
entry:
  %c = cmpxchg ptr %p, i32 0, i32 1 acquire monotonic
  %got = extractvalue { i32, i1 } %c, 1
  br i1 %got, label %done, label %spin
spin:
  %i = phi i32 [ 0, %entry ], [ %i1, %spin.next ]
  call void @relax()
  %v = load atomic i32, ptr %p monotonic, align 4
  %free = icmp eq i32 %v, 0
  br i1 %free, label %try, label %spin.next
try:
  %c2 = cmpxchg ptr %p, i32 0, i32 1 acquire monotonic
  %got2 = extractvalue { i32, i1 } %c2, 1
  br i1 %got2, label %done, label %spin.next
spin.next:
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 50
  br i1 %more, label %spin, label %slow
slow:
  %old = atomicrmw xchg ptr %p, i32 2 acquire
  %got3 = icmp eq i32 %old, 0
  br i1 %got3, label %done, label %sleep
sleep:
  call void @futex_wait(ptr %p, i32 2, i64 -1)
  br label %slow
done:
  ret void
}

define internal void @unlock(ptr %p) {
  %old = atomicrmw xchg ptr %p, i32 0 release
  %contended = icmp eq i32 %old, 2
  br i1 %contended, label %wake, label %done
wake:
  call void @futex_wake(ptr %p, i32 1)
  br label %done
done:
  ret void
}

; Part: the queue (locked).

; Add to `demand`.
define internal void @want(ptr %p, i32 %n) {
  %dp = getelementptr %Pool, ptr %p, i32 0, i32 5
  %d = load i32, ptr %dp
  %d1 = add i32 %d, %n
  store i32 %d1, ptr %dp
  ret void
}

; Put a job at the end of the queue. The caller passes on one reference.
define internal void @enqueue(ptr %p, ptr %j) {
entry:
  %headp = getelementptr %Pool, ptr %p, i32 0, i32 6
  %tailp = getelementptr %Pool, ptr %p, i32 0, i32 7
  %nextp = getelementptr %Job, ptr %j, i32 0, i32 12
  %prevp = getelementptr %Job, ptr %j, i32 0, i32 13
  %queuedp = getelementptr %Job, ptr %j, i32 0, i32 14
  %wantedp = getelementptr %Job, ptr %j, i32 0, i32 7
  %participantsp = getelementptr %Job, ptr %j, i32 0, i32 15
  %tail = load ptr, ptr %tailp
  store ptr null, ptr %nextp
  store ptr %tail, ptr %prevp
  store ptr %j, ptr %tailp
  store atomic i32 1, ptr %queuedp monotonic, align 4
  %wanted = load i32, ptr %wantedp
  %participants = load i32, ptr %participantsp
  %n = sub i32 %wanted, %participants
  call void @want(ptr %p, i32 %n)
  %empty = icmp eq ptr %tail, null
  br i1 %empty, label %first, label %after
first:
  store atomic ptr %j, ptr %headp monotonic, align 8
  ret void
after:
  %link = getelementptr %Job, ptr %tail, i32 0, i32 12
  store ptr %j, ptr %link
  ret void
}

; Take a job out of the queue, wherever in it. The queue's reference passes to the caller.
define internal void @dequeue(ptr %p, ptr %j) {
entry:
  %headp = getelementptr %Pool, ptr %p, i32 0, i32 6
  %tailp = getelementptr %Pool, ptr %p, i32 0, i32 7
  %nextp = getelementptr %Job, ptr %j, i32 0, i32 12
  %prevp = getelementptr %Job, ptr %j, i32 0, i32 13
  %queuedp = getelementptr %Job, ptr %j, i32 0, i32 14
  %wantedp = getelementptr %Job, ptr %j, i32 0, i32 7
  %participantsp = getelementptr %Job, ptr %j, i32 0, i32 15
  store atomic i32 0, ptr %queuedp monotonic, align 4
  %wanted = load i32, ptr %wantedp
  %participants = load i32, ptr %participantsp
  %n = sub i32 %participants, %wanted
  call void @want(ptr %p, i32 %n)
  %next = load ptr, ptr %nextp
  %prev = load ptr, ptr %prevp
  %no.prev = icmp eq ptr %prev, null
  br i1 %no.prev, label %at.head, label %inside
at.head:
  store atomic ptr %next, ptr %headp monotonic, align 8
  br label %back
inside:
  %prev.next = getelementptr %Job, ptr %prev, i32 0, i32 12
  store ptr %next, ptr %prev.next
  br label %back
back:
  %no.next = icmp eq ptr %next, null
  br i1 %no.next, label %at.tail, label %before
at.tail:
  store ptr %prev, ptr %tailp
  ret void
before:
  %next.prev = getelementptr %Job, ptr %next, i32 0, i32 13
  store ptr %prev, ptr %next.prev
  ret void
}

; Make the caller a participant of a queued job. Returns whether it is the first ever.
define internal i1 @join(ptr %p, ptr %j) {
entry:
  %wantedp = getelementptr %Job, ptr %j, i32 0, i32 7
  %participantsp = getelementptr %Job, ptr %j, i32 0, i32 15
  %activep = getelementptr %Job, ptr %j, i32 0, i32 16
  %startedp = getelementptr %Job, ptr %j, i32 0, i32 17
  %wanted = load i32, ptr %wantedp
  %n = load i32, ptr %participantsp
  %n1 = add i32 %n, 1
  store i32 %n1, ptr %participantsp
  call void @want(ptr %p, i32 -1)
  %started = load i32, ptr %startedp
  store i32 1, ptr %startedp
  %first = icmp eq i32 %started, 0
  %full = icmp sge i32 %n1, %wanted
  br i1 %full, label %last, label %more
last:
  call void @dequeue(ptr %p, ptr %j)
  ret i1 %first
more:
  %o = atomicrmw add ptr %activep, i32 1 monotonic
  ret i1 %first
}

; How many sleeping workers to wake for the demand that spinning and waking ones do not meet: at
; most two, because those wake others when they find more to do. Marks them as woken.
define internal i32 @reserve_wakes(ptr %p) {
entry:
  %sleepersp = getelementptr %Pool, ptr %p, i32 0, i32 2
  %wokenp = getelementptr %Pool, ptr %p, i32 0, i32 3
  %spinnersp = getelementptr %Pool, ptr %p, i32 0, i32 4
  %demandp = getelementptr %Pool, ptr %p, i32 0, i32 5
  %sleepers = load i32, ptr %sleepersp
  %woken = load i32, ptr %wokenp
  %spinners = load i32, ptr %spinnersp
  %demand = load i32, ptr %demandp
  %asleep = sub i32 %sleepers, %woken
  %d1 = sub i32 %demand, %spinners
  %d2 = sub i32 %d1, %woken
  %m1 = call i32 @llvm.smin.i32(i32 %d2, i32 2)
  %n = call i32 @llvm.smin.i32(i32 %m1, i32 %asleep)
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %some, label %none
some:
  %w1 = add i32 %woken, %n
  store i32 %w1, ptr %wokenp
  %epochp = getelementptr %Pool, ptr %p, i32 0, i32 1
  %o = atomicrmw add ptr %epochp, i32 1 monotonic
  ret i32 %n
none:
  ret i32 0
}

; Release the lock, then wake the workers that are needed.
define internal void @unlock_and_wake(ptr %p) {
entry:
  %n = call i32 @reserve_wakes(ptr %p)
  %spinnersp = getelementptr %Pool, ptr %p, i32 0, i32 4
  %demandp = getelementptr %Pool, ptr %p, i32 0, i32 5
  %spinners = load i32, ptr %spinnersp
  %demand = load i32, ptr %demandp
  %a = icmp sgt i32 %spinners, 0
  %b = icmp sgt i32 %demand, 0
  %shout = and i1 %a, %b
  br i1 %shout, label %call, label %quiet
call:
  %turnsp = getelementptr %Pool, ptr %p, i32 0, i32 8
  %turns = load i64, ptr %turnsp
  %turns.1 = add i64 %turns, 1
  store i64 %turns.1, ptr %turnsp
  call void @unlock(ptr %p)
  ; Two threads may store in the wrong order; then a spinner finds the job at its next look at head.
  %callp = getelementptr %Pool, ptr %p, i32 0, i32 20
  store atomic i64 %turns.1, ptr %callp monotonic, align 8
  br label %sleepers
quiet:
  call void @unlock(ptr %p)
  br label %sleepers
sleepers:
  %any = icmp sgt i32 %n, 0
  br i1 %any, label %wake, label %done
wake:
  %epochp = getelementptr %Pool, ptr %p, i32 0, i32 1
  call void @futex_wake(ptr %epochp, i32 %n)
  br label %done
done:
  ret void
}

; Part: running a job.

declare i64 @pthread_self()

; Say in a free line of the pool's table what this thread is about to run; returns the line, or null
; where there is none.
define internal ptr @begin_words(ptr %p, ptr %j, i64 %worker) {
entry:
  %tablep = getelementptr %Pool, ptr %p, i32 0, i32 19
  %wordsp = getelementptr %Job, ptr %j, i32 0, i32 21
  %table = load ptr, ptr %tablep
  %words = load ptr, ptr %wordsp
  %no.table = icmp eq ptr %table, null
  %no.words = icmp eq ptr %words, null
  %nothing = or i1 %no.table, %no.words
  br i1 %nothing, label %none, label %look
look:
  %self = call i64 @pthread_self()
  br label %loop
loop:
  %tried = phi i64 [ 0, %look ], [ %tried.1, %next ]
  %sum = add i64 %tried, %worker
  %k.0 = urem i64 %sum, 127
  %k = add i64 %k.0, 1                                      ; line 0 is not ours
  %offset = shl i64 %k, 6
  %line = getelementptr i8, ptr %table, i64 %offset
  %seen = load atomic i64, ptr %line monotonic, align 8
  %free = icmp eq i64 %seen, 0
  br i1 %free, label %claim, label %next
claim:
  %c = cmpxchg ptr %line, i64 0, i64 %self acquire monotonic
  %got = extractvalue { i64, i1 } %c, 1
  br i1 %got, label %say, label %next
say:
  %textp = getelementptr i8, ptr %line, i64 8
  store ptr %words, ptr %textp
  ret ptr %line
next:
  %tried.1 = add i64 %tried, 1
  %over = icmp eq i64 %tried.1, 127
  br i1 %over, label %none, label %loop
none:
  ret ptr null
}

define internal i1 @run(ptr %p, ptr %j, i64 %worker, i64 %deadline) {
  %line = call ptr @begin_words(ptr %p, ptr %j, i64 %worker)
  %early = call i1 @run_chunks(ptr %p, ptr %j, i64 %worker, i64 %deadline)
  %said = icmp ne ptr %line, null
  br i1 %said, label %unsay, label %out
unsay:
  %textp = getelementptr i8, ptr %line, i64 8
  store ptr null, ptr %textp
  store atomic i64 0, ptr %line release, align 8
  br label %out
out:
  ret i1 %early
}

; Let more participants join a job that takes longer than was thought. The caller is one.
define internal void @widen(ptr %p, ptr %j) {
entry:
  %wantedp = getelementptr %Job, ptr %j, i32 0, i32 7
  %queuedp = getelementptr %Job, ptr %j, i32 0, i32 14
  %activep = getelementptr %Job, ptr %j, i32 0, i32 16
  %widenp = getelementptr %Job, ptr %j, i32 0, i32 22
  %allp = getelementptr %Job, ptr %j, i32 0, i32 22, i32 1
  call void @lock(ptr %p)
  %patience = load i64, ptr %widenp
  %first = icmp ne i64 %patience, 0
  br i1 %first, label %more, label %known
known:
  call void @unlock(ptr %p)
  ret void
more:
  store atomic i64 0, ptr %widenp monotonic, align 8
  %before = load i32, ptr %wantedp
  %all.64 = load i64, ptr %allp
  %all = trunc i64 %all.64 to i32
  store i32 %all, ptr %wantedp
  %queued = load i32, ptr %queuedp
  %is = icmp ne i32 %queued, 0
  br i1 %is, label %add, label %put.back
add:
  %n = sub i32 %all, %before
  call void @want(ptr %p, i32 %n)
  br label %out
put.back:
  %o = atomicrmw add ptr %activep, i32 1 monotonic          ; the list's reference
  call void @enqueue(ptr %p, ptr %j)
  br label %out
out:
  call void @unlock_and_wake(ptr %p)
  ret void
}

; Claim and run chunks until none is left, the job has an error, or `deadline` (0: none) has passed
; after a chunk. Returns whether the deadline ended it with units perhaps left.
define internal i1 @run_chunks(ptr %p, ptr %j, i64 %worker, i64 %deadline) {
entry:
  %entryp = getelementptr %Job, ptr %j, i32 0, i32 0
  %argsp = getelementptr %Job, ptr %j, i32 0, i32 1
  %unitsp = getelementptr %Job, ptr %j, i32 0, i32 2
  %grainp = getelementptr %Job, ptr %j, i32 0, i32 3
  %nextp = getelementptr %Job, ptr %j, i32 0, i32 20
  %errorp = getelementptr %Job, ptr %j, i32 0, i32 25
  %stopp = getelementptr %Pool, ptr %p, i32 0, i32 9
  %startp = getelementptr %Job, ptr %j, i32 0, i32 18
  %widenp = getelementptr %Job, ptr %j, i32 0, i32 22
  %f = load ptr, ptr %entryp
  %args = load ptr, ptr %argsp
  %units = load i64, ptr %unitsp
  %grain = load i64, ptr %grainp
  br label %claim
claim:
  %begin = atomicrmw add ptr %nextp, i64 %grain monotonic
  %none = icmp sge i64 %begin, %units
  br i1 %none, label %over, label %check
check:
  %stop = load atomic i32, ptr %stopp monotonic, align 4
  %given.up = icmp eq i32 %stop, 2
  br i1 %given.up, label %give.up, label %chunk
give.up:
  store atomic i64 -1, ptr %errorp monotonic, align 8
  ret i1 false
chunk:
  %e = add i64 %begin, %grain
  %end = call i64 @llvm.smin.i64(i64 %e, i64 %units)
  %mode = call %Mode @mode_begin()
  call void %f(ptr %args, i64 %begin, i64 %end, i64 %worker)
  call void @mode_end(%Mode %mode)
  %error = load atomic i64, ptr %errorp monotonic, align 8
  %bad = icmp ne i64 %error, 0
  %was.last = icmp sge i64 %e, %units
  %over.now = or i1 %bad, %was.last
  br i1 %over.now, label %over, label %again
again:
  %patience = load atomic i64, ptr %widenp monotonic, align 8
  %endless = icmp eq i64 %deadline, 0
  %narrow = icmp ne i64 %patience, 0
  br i1 %narrow, label %measure, label %go.on
measure:
  %begun = load i64, ptr %startp
  %t0 = call i64 @now()
  %taken = sub i64 %t0, %begun
  %long = icmp sgt i64 %taken, %patience
  br i1 %long, label %wider, label %go.on
wider:
  call void @widen(ptr %p, ptr %j)
  br label %go.on
go.on:
  br i1 %endless, label %claim, label %clock
clock:
  %t = call i64 @now()
  %late = icmp sge i64 %t, %deadline
  br i1 %late, label %early, label %claim
early:
  ret i1 true
over:
  ret i1 false
}

; A participant that found no more chunks goes. Returns a job to run next, or null (see @complete).
define internal ptr @leave(ptr %p, ptr %j, i1 %keep) {
entry:
  %queuedp = getelementptr %Job, ptr %j, i32 0, i32 14
  %activep = getelementptr %Job, ptr %j, i32 0, i32 16
  ; Only a hint: a job left in the queue is taken out by the next one that finds it exhausted.
  %hint = load atomic i32, ptr %queuedp monotonic, align 4
  %maybe = icmp ne i32 %hint, 0
  br i1 %maybe, label %look, label %drop
look:
  call void @lock(ptr %p)
  %queued = load i32, ptr %queuedp
  %is = icmp ne i32 %queued, 0
  br i1 %is, label %remove, label %keep.it
remove:
  call void @dequeue(ptr %p, ptr %j)
  call void @unlock(ptr %p)
  br label %drop
keep.it:
  call void @unlock(ptr %p)
  br label %drop
drop:
  %refs = phi i32 [ 1, %entry ], [ 2, %remove ], [ 1, %keep.it ]
  %old = atomicrmw sub ptr %activep, i32 %refs acq_rel
  %last = icmp eq i32 %old, %refs
  br i1 %last, label %finish, label %others
finish:
  %next = call ptr @complete(ptr %j, i1 %keep)
  ret ptr %next
others:
  ret ptr null
}

; A helping thread goes although there may be more to do: others may take its place.
define internal void @leave_early(ptr %p, ptr %j) {
entry:
  %unitsp = getelementptr %Job, ptr %j, i32 0, i32 2
  %nextp = getelementptr %Job, ptr %j, i32 0, i32 20
  %participantsp = getelementptr %Job, ptr %j, i32 0, i32 15
  %queuedp = getelementptr %Job, ptr %j, i32 0, i32 14
  %activep = getelementptr %Job, ptr %j, i32 0, i32 16
  %units = load i64, ptr %unitsp
  call void @lock(ptr %p)
  %next = load atomic i64, ptr %nextp monotonic, align 8
  %none = icmp sge i64 %next, %units
  br i1 %none, label %normal, label %more
normal:
  call void @unlock(ptr %p)
  %r = call ptr @leave(ptr %p, ptr %j, i1 false)
  ret void
more:
  %n = load i32, ptr %participantsp
  %n1 = sub i32 %n, 1
  store i32 %n1, ptr %participantsp
  %queued = load i32, ptr %queuedp
  %is = icmp ne i32 %queued, 0
  br i1 %is, label %release, label %requeue
release:
  ; The queue holds a reference, so this is not the last one.
  call void @want(ptr %p, i32 1)
  %o = atomicrmw sub ptr %activep, i32 1 acq_rel
  call void @unlock_and_wake(ptr %p)
  ret void
requeue:
  ; Our reference becomes the queue's. The lock's release publishes what our chunks wrote.
  call void @enqueue(ptr %p, ptr %j)
  call void @unlock_and_wake(ptr %p)
  ret void
}

; Part: completing a job.

; A job whose dependencies are all done and which has something to run.
define internal void @push(ptr %j) {
  %poolp = getelementptr %Job, ptr %j, i32 0, i32 4
  %activep = getelementptr %Job, ptr %j, i32 0, i32 16
  %p = load ptr, ptr %poolp
  store atomic i32 1, ptr %activep monotonic, align 4
  call void @lock(ptr %p)
  call void @enqueue(ptr %p, ptr %j)
  call void @unlock_and_wake(ptr %p)
  ret void
}

; Whether a ready job has nothing to run: no units, or a dependency failed.
define internal i1 @is_void(ptr %j) {
  %unitsp = getelementptr %Job, ptr %j, i32 0, i32 2
  %failedp = getelementptr %Job, ptr %j, i32 0, i32 11
  %units = load i64, ptr %unitsp
  %failed = load atomic i32, ptr %failedp monotonic, align 4
  %none = icmp eq i64 %units, 0
  %bad = icmp ne i32 %failed, 0
  %r = or i1 %none, %bad
  ret i1 %r
}

; Whether a job that is done failed, itself or by a dependency.
define internal i1 @has_failed(ptr %j) {
  %failedp = getelementptr %Job, ptr %j, i32 0, i32 11
  %errorp = getelementptr %Job, ptr %j, i32 0, i32 25
  %failed = load atomic i32, ptr %failedp monotonic, align 4
  %error = load atomic i64, ptr %errorp monotonic, align 8
  %a = icmp ne i32 %failed, 0
  %b = icmp ne i64 %error, 0
  %r = or i1 %a, %b
  ret i1 %r
}

; Turn a list of edges round: they were pushed last first, successors should start first first.
define internal ptr @reverse(ptr %list) {
entry:
  br label %loop
loop:
  %e = phi ptr [ %list, %entry ], [ %next, %turn ]
  %done = phi ptr [ null, %entry ], [ %e, %turn ]
  %end = icmp eq ptr %e, null
  br i1 %end, label %out, label %turn
turn:
  %nextp = getelementptr %Edge, ptr %e, i32 0, i32 1
  %next = load ptr, ptr %nextp
  store ptr %done, ptr %nextp
  br label %loop
out:
  ret ptr %done
}

; Mark a job done, whose references are all dropped, and release its successors; those with nothing
; to run are completed in the same loop (`todo` is a list through the jobs' next field). With
; `keep`, the first ready successor of a single chunk is not queued but returned: the calling worker
; runs it while its data is in that core's cache.
define internal ptr @complete(ptr %job, i1 %keep) {
entry:
  %poolp = getelementptr %Job, ptr %job, i32 0, i32 4
  %p = load ptr, ptr %poolp
  %job.next = getelementptr %Job, ptr %job, i32 0, i32 12
  store ptr null, ptr %job.next
  br label %each
each:
  %j = phi ptr [ %job, %entry ], [ %todo, %some.left ]
  %kept.0 = phi ptr [ null, %entry ], [ %kept, %some.left ]
  %todop = getelementptr %Job, ptr %j, i32 0, i32 12
  %todo.0 = load ptr, ptr %todop
  %startedp = getelementptr %Job, ptr %j, i32 0, i32 17
  %startp = getelementptr %Job, ptr %j, i32 0, i32 18
  %endp = getelementptr %Job, ptr %j, i32 0, i32 19
  %t = call i64 @now()
  store i64 %t, ptr %endp
  %started = load i32, ptr %startedp
  %ran = icmp ne i32 %started, 0
  br i1 %ran, label %close, label %never.ran
never.ran:
  store i64 %t, ptr %startp
  br label %close
close:
  %failed = call i1 @has_failed(ptr %j)
  %succp = getelementptr %Job, ptr %j, i32 0, i32 9
  %statep = getelementptr %Job, ptr %j, i32 0, i32 23
  ; Release: whoever finds the list closed reads our error fields. Acquire: the edges linked there.
  %list = atomicrmw xchg ptr %succp, ptr inttoptr (i64 1 to ptr) acq_rel
  %status = select i1 %failed, i32 3, i32 1
  %before = atomicrmw xchg ptr %statep, i32 %status release
  ; From here on the job's memory may be gone. The edges live in its successors, which cannot end
  ; before their turn below.
  %flag = and i32 %before, 4
  %waited = icmp ne i32 %flag, 0
  br i1 %waited, label %wake, label %turn
wake:
  call void @futex_wake(ptr %statep, i32 2147483647)
  br label %turn
turn:
  %first = call ptr @reverse(ptr %list)
  br label %edges
edges:
  %e = phi ptr [ %first, %turn ], [ %e.next, %next ]
  %todo = phi ptr [ %todo.0, %turn ], [ %todo.1, %next ]
  %kept = phi ptr [ %kept.0, %turn ], [ %kept.1, %next ]
  %end = icmp eq ptr %e, null
  %no.todo = icmp eq ptr %todo, null
  %over = and i1 %end, %no.todo
  br i1 %over, label %out, label %some.left
some.left:
  br i1 %end, label %each, label %edge
edge:
  %ownerp = getelementptr %Edge, ptr %e, i32 0, i32 0
  %linkp = getelementptr %Edge, ptr %e, i32 0, i32 1
  %owner = load ptr, ptr %ownerp
  %e.next = load ptr, ptr %linkp
  br i1 %failed, label %spoil, label %count
spoil:
  %spoilp = getelementptr %Job, ptr %owner, i32 0, i32 11
  store atomic i32 1, ptr %spoilp monotonic, align 4
  br label %count
count:
  %waitingp = getelementptr %Job, ptr %owner, i32 0, i32 10
  ; Acquire and release: hand on what every dependency wrote. Unless it was the last one, another
  ; thread may now run and end the owner: do not touch it again.
  %w = atomicrmw sub ptr %waitingp, i32 1 acq_rel
  %ready = icmp eq i32 %w, 1
  br i1 %ready, label %is.ready, label %next
is.ready:
  %void = call i1 @is_void(ptr %owner)
  br i1 %void, label %defer, label %place
defer:
  %deferp = getelementptr %Job, ptr %owner, i32 0, i32 12
  store ptr %todo, ptr %deferp
  br label %next
place:
  %wantedp = getelementptr %Job, ptr %owner, i32 0, i32 7
  %wanted = load i32, ptr %wantedp
  %single = icmp eq i32 %wanted, 1
  %opoolp = getelementptr %Job, ptr %owner, i32 0, i32 4
  %opool = load ptr, ptr %opoolp
  %same = icmp eq ptr %opool, %p
  %no.kept = icmp eq ptr %kept, null
  %k1 = and i1 %single, %same
  %k2 = and i1 %k1, %no.kept
  %k3 = and i1 %k2, %keep
  br i1 %k3, label %retain, label %queue
queue:
  call void @push(ptr %owner)
  br label %next
retain:
  br label %next
next:
  %todo.1 = phi ptr [ %todo, %count ], [ %owner, %defer ], [ %todo, %queue ], [ %todo, %retain ]
  %kept.1 = phi ptr [ %kept, %count ], [ %kept, %defer ], [ %kept, %queue ], [ %owner, %retain ]
  br label %edges
out:
  ret ptr %kept
}

; Part: for the host: submit.

; Register a job whose fields 0 to 8 and edges are filled in and whose others are zero; start it if
; it can start. Dependencies must be jobs that were submitted and whose memory is alive. Never
; blocks beyond the pool's lock. `units` >= 0; any grain.
define void @pool_submit(ptr %j) {
entry:
  %givenp = getelementptr %Job, ptr %j, i32 0, i32 24
  store i32 1, ptr %givenp
  %unitsp = getelementptr %Job, ptr %j, i32 0, i32 2
  %grainp = getelementptr %Job, ptr %j, i32 0, i32 3
  %poolp = getelementptr %Job, ptr %j, i32 0, i32 4
  %edgesp = getelementptr %Job, ptr %j, i32 0, i32 5
  %countp = getelementptr %Job, ptr %j, i32 0, i32 6
  %wantedp = getelementptr %Job, ptr %j, i32 0, i32 7
  %error.atp = getelementptr %Job, ptr %j, i32 0, i32 8
  %waitingp = getelementptr %Job, ptr %j, i32 0, i32 10
  %failedp = getelementptr %Job, ptr %j, i32 0, i32 11
  %inline = getelementptr %Job, ptr %j, i32 0, i32 26
  %p = load ptr, ptr %poolp
  %units = load i64, ptr %unitsp
  %grain.0 = load i64, ptr %grainp
  %g1 = call i64 @llvm.smin.i64(i64 %grain.0, i64 %units)
  %grain = call i64 @llvm.smax.i64(i64 %g1, i64 1)
  store i64 %grain, ptr %grainp
  %u1 = add i64 %units, %grain
  %u2 = sub i64 %u1, 1
  %chunks = udiv i64 %u2, %grain
  %threadsp = getelementptr %Pool, ptr %p, i32 0, i32 10
  %threads = load i32, ptr %threadsp
  %threads.64 = zext i32 %threads to i64
  %most = call i64 @llvm.umin.i64(i64 %chunks, i64 %threads.64)
  %pay = load i32, ptr %wantedp
  %pay.64 = zext i32 %pay to i64
  %as.many = icmp eq i32 %pay, 0
  %fewer = call i64 @llvm.umin.i64(i64 %most, i64 %pay.64)
  %begin.with = select i1 %as.many, i64 %most, i64 %fewer
  %wanted = trunc i64 %begin.with to i32
  %widenp = getelementptr %Job, ptr %j, i32 0, i32 22
  %allp = getelementptr %Job, ptr %j, i32 0, i32 22, i32 1
  %patience = load i64, ptr %widenp
  %all.there = icmp eq i64 %begin.with, %most
  %patience.1 = select i1 %all.there, i64 0, i64 %patience
  store i64 %patience.1, ptr %widenp
  store i64 %most, ptr %allp
  store i32 %wanted, ptr %wantedp
  %n = load i32, ptr %countp
  %n1 = add i32 %n, 1
  store atomic i32 %n1, ptr %waitingp monotonic, align 4
  %error.at = load i64, ptr %error.atp
  %no.error.at = icmp slt i64 %error.at, 0
  br i1 %no.error.at, label %edges, label %tell
tell:
  %argsp = getelementptr %Job, ptr %j, i32 0, i32 1
  %errorp = getelementptr %Job, ptr %j, i32 0, i32 25
  %args = load ptr, ptr %argsp
  %slot = getelementptr i8, ptr %args, i64 %error.at
  store ptr %errorp, ptr %slot, align 1
  br label %edges
edges:
  %given = load ptr, ptr %edgesp
  %none.given = icmp eq ptr %given, null
  %array = select i1 %none.given, ptr %inline, ptr %given
  br label %loop
loop:
  %i = phi i32 [ 0, %edges ], [ %i1, %next ]
  %met = phi i32 [ 1, %edges ], [ %met.1, %next ]
  %more = icmp slt i32 %i, %n
  br i1 %more, label %edge, label %start
edge:
  %e = getelementptr %Edge, ptr %array, i32 %i
  %linkp = getelementptr %Edge, ptr %e, i32 0, i32 1
  %dep = load ptr, ptr %e
  store ptr %j, ptr %e
  %succp = getelementptr %Job, ptr %dep, i32 0, i32 9
  %h0 = load atomic ptr, ptr %succp acquire, align 8
  br label %link
link:
  %h = phi ptr [ %h0, %edge ], [ %h1, %try ]
  %closed = icmp eq ptr %h, inttoptr (i64 1 to ptr)
  br i1 %closed, label %is.done, label %try
try:
  store ptr %h, ptr %linkp
  ; Release: the edge's fields. Acquire on failure: the dependency may have ended meanwhile.
  %c = cmpxchg ptr %succp, ptr %h, ptr %e release acquire
  %h1 = extractvalue { ptr, i1 } %c, 0
  %ok = extractvalue { ptr, i1 } %c, 1
  br i1 %ok, label %next, label %link
is.done:
  %bad = call i1 @has_failed(ptr %dep)
  br i1 %bad, label %spoil, label %count
spoil:
  store atomic i32 1, ptr %failedp monotonic, align 4
  br label %count
count:
  %met.2 = add i32 %met, 1
  br label %next
next:
  %met.1 = phi i32 [ %met, %try ], [ %met.2, %count ]
  %i1 = add i32 %i, 1
  br label %loop
start:
  %w = atomicrmw sub ptr %waitingp, i32 %met acq_rel
  %ready = icmp eq i32 %w, %met
  br i1 %ready, label %is.ready, label %out
is.ready:
  %void = call i1 @is_void(ptr %j)
  br i1 %void, label %finish, label %queue
finish:
  %r = call ptr @complete(ptr %j, i1 false)
  br label %out
queue:
  call void @push(ptr %j)
  br label %out
out:
  ret void
}

; Part: for the host: wait.

declare i64 @llvm.cttz.i64(i64, i1)

; Take a free worker id above those of the workers; -1: none, 8 threads help already.
define internal i64 @claim_helper(ptr %p) {
entry:
  %maskp = getelementptr %Pool, ptr %p, i32 0, i32 18
  %threadsp = getelementptr %Pool, ptr %p, i32 0, i32 10
  %threads = load i32, ptr %threadsp
  %base = zext i32 %threads to i64
  %m0 = load atomic i64, ptr %maskp monotonic, align 8
  br label %loop
loop:
  %m = phi i64 [ %m0, %entry ], [ %seen, %try ]
  %free = xor i64 %m, -1
  %low = and i64 %free, 255                               ; HELPERS in pool.py: 8
  %none = icmp eq i64 %low, 0
  br i1 %none, label %fail, label %try
try:
  %bit = call i64 @llvm.cttz.i64(i64 %low, i1 true)
  %flag = shl i64 1, %bit
  %m1 = or i64 %m, %flag
  ; Acquire, with the release in @free_helper: what is kept per worker id passes on with the id.
  %c = cmpxchg ptr %maskp, i64 %m, i64 %m1 acquire monotonic
  %seen = extractvalue { i64, i1 } %c, 0
  %ok = extractvalue { i64, i1 } %c, 1
  br i1 %ok, label %got, label %loop
got:
  %id = add i64 %base, %bit
  ret i64 %id
fail:
  ret i64 -1
}

define internal void @free_helper(ptr %p, i64 %id) {
  %maskp = getelementptr %Pool, ptr %p, i32 0, i32 18
  %threadsp = getelementptr %Pool, ptr %p, i32 0, i32 10
  %threads = load i32, ptr %threadsp
  %base = zext i32 %threads to i64
  %bit = sub i64 %id, %base
  %flag = shl i64 1, %bit
  %keep = xor i64 %flag, -1
  %o = atomicrmw and ptr %maskp, i64 %keep release
  ret void
}

; Join a job that looked queued, and run chunks until `deadline`. Returns whether it did.
define internal i1 @help(ptr %p, ptr %j, i64 %deadline) {
entry:
  %queuedp = getelementptr %Job, ptr %j, i32 0, i32 14
  %id = call i64 @claim_helper(ptr %p)
  %no.id = icmp slt i64 %id, 0
  br i1 %no.id, label %fail, label %look
look:
  call void @lock(ptr %p)
  %queued = load i32, ptr %queuedp
  %is = icmp ne i32 %queued, 0
  br i1 %is, label %go, label %gone
gone:
  call void @unlock(ptr %p)
  call void @free_helper(ptr %p, i64 %id)
  br label %fail
go:
  %first = call i1 @join(ptr %p, ptr %j)
  call void @unlock_and_wake(ptr %p)
  br i1 %first, label %stamp, label %work
stamp:
  %startp = getelementptr %Job, ptr %j, i32 0, i32 18
  %t = call i64 @now()
  store i64 %t, ptr %startp
  br label %work
work:
  %early = call i1 @run(ptr %p, ptr %j, i64 %id, i64 %deadline)
  call void @free_helper(ptr %p, i64 %id)
  br i1 %early, label %part, label %whole
part:
  call void @leave_early(ptr %p, ptr %j)
  ret i1 true
whole:
  %r = call ptr @leave(ptr %p, ptr %j, i1 false)
  ret i1 true
fail:
  ret i1 false
}

; Wait until a job is done, but at most `timeout` ns (negative: no limit). For the first `help_ns`
; ns the calling thread works on the job itself when it is ready and has chunks that nobody claimed;
; a chunk once begun is finished. Then it spins for the pool's spin_ns, then it sleeps. Returns 1
; when the job is done. 0 may come early (a signal, or a stray wake): the caller looks at its own
; clock.
define i32 @pool_wait(ptr %j, i64 %timeout, i64 %help_ns) {
entry:
  %statep = getelementptr %Job, ptr %j, i32 0, i32 23
  %queuedp = getelementptr %Job, ptr %j, i32 0, i32 14
  %poolp = getelementptr %Job, ptr %j, i32 0, i32 4
  %s0 = load atomic i32, ptr %statep acquire, align 4
  %d0 = and i32 %s0, 1
  %is.done0 = icmp ne i32 %d0, 0
  br i1 %is.done0, label %yes, label %begin
begin:
  %p = load ptr, ptr %poolp
  %spinp = getelementptr %Pool, ptr %p, i32 0, i32 13
  %spin_ns = load i64, ptr %spinp
  %t0 = call i64 @now()
  %endless = icmp slt i64 %timeout, 0
  %end.0 = add i64 %t0, %timeout
  %overflow = icmp slt i64 %end.0, 0
  %forever = or i1 %endless, %overflow
  %end = select i1 %forever, i64 9223372036854775807, i64 %end.0
  %help.0 = add i64 %t0, %help_ns
  %help.end = call i64 @llvm.smin.i64(i64 %help.0, i64 %end)
  %may.help = icmp sgt i64 %help_ns, 0
  br label %spin
spin:
  %t = phi i64 [ %t0, %begin ], [ %t1, %tick ], [ %t2, %helped ]
  %spin.from = phi i64 [ %t0, %begin ], [ %spin.from, %tick ], [ %t2, %helped ]
  %n = phi i32 [ 0, %begin ], [ 0, %tick ], [ 0, %helped ]
  br label %poll
poll:
  %i = phi i32 [ %n, %spin ], [ %i1, %again ]
  %s = load atomic i32, ptr %statep acquire, align 4
  %d = and i32 %s, 1
  %is.done = icmp ne i32 %d, 0
  br i1 %is.done, label %yes, label %open
open:
  %start = icmp eq i32 %i, 0
  br i1 %start, label %offer, label %again
offer:
  %q = load atomic i32, ptr %queuedp monotonic, align 4
  %queued = icmp ne i32 %q, 0
  %in.time = icmp slt i64 %t, %help.end
  %a = and i1 %queued, %in.time
  %want = and i1 %a, %may.help
  br i1 %want, label %try, label %again
try:
  %did = call i1 @help(ptr %p, ptr %j, i64 %help.end)
  br i1 %did, label %helped, label %again
helped:
  %t2 = call i64 @now()
  br label %spin
again:
  call void @relax()
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 8
  br i1 %more, label %poll, label %tick
tick:
  %t1 = call i64 @now()
  %spun = sub i64 %t1, %spin.from
  %enough = icmp sge i64 %spun, %spin_ns
  %late = icmp sge i64 %t1, %end
  %stop = or i1 %enough, %late
  br i1 %stop, label %sleep, label %spin
sleep:
  %s2 = load atomic i32, ptr %statep acquire, align 4
  %d2 = and i32 %s2, 1
  %is.done2 = icmp ne i32 %d2, 0
  br i1 %is.done2, label %yes, label %mark
mark:
  %flagged = or i32 %s2, 4
  %c = cmpxchg ptr %statep, i32 %s2, i32 %flagged monotonic monotonic
  %ok = extractvalue { i32, i1 } %c, 1
  br i1 %ok, label %rest, label %sleep
rest:
  %t3 = call i64 @now()
  %left = sub i64 %end, %t3
  %timely = icmp sgt i64 %left, 0
  br i1 %timely, label %doze, label %no
doze:
  %ns = select i1 %forever, i64 -1, i64 %left
  call void @futex_wait(ptr %statep, i32 %flagged, i64 %ns)
  %s3 = load atomic i32, ptr %statep acquire, align 4
  %r = and i32 %s3, 1
  ret i32 %r
yes:
  ret i32 1
no:
  ret i32 0
}

; Order the loads after a state that was read plainly (Python's own look at the word).
define void @pool_acquire() {
  fence acquire
  ret void
}

; Part: the workers.

; Wait without sleeping for a queued job, a stop, or spin_ns. Returns whether there was something.
; `seen` is the value of `turns` when the queue was empty.
define internal i1 @look_out(ptr %p, i64 %seen) {
entry:
  %callp = getelementptr %Pool, ptr %p, i32 0, i32 20
  %headp = getelementptr %Pool, ptr %p, i32 0, i32 6
  %stopp = getelementptr %Pool, ptr %p, i32 0, i32 9
  %spinp = getelementptr %Pool, ptr %p, i32 0, i32 13
  %spin_ns = load i64, ptr %spinp
  %t0 = call i64 @now()
  %end = add i64 %t0, %spin_ns
  br label %poll
poll:
  %i = phi i32 [ 0, %entry ], [ %i1, %again ], [ 0, %clock ]
  %call = load atomic i64, ptr %callp monotonic, align 8
  %found = icmp sgt i64 %call, %seen
  br i1 %found, label %yes, label %again
again:
  call void @relax()
  %i1 = add i32 %i, 1
  %more = icmp ult i32 %i1, 8
  br i1 %more, label %poll, label %tick
tick:
  %head = load atomic ptr, ptr %headp monotonic, align 8
  %stop = load atomic i32, ptr %stopp monotonic, align 4
  %some = icmp ne ptr %head, null
  %ending = icmp ne i32 %stop, 0
  %other = or i1 %some, %ending
  br i1 %other, label %yes, label %clock
clock:
  %t = call i64 @now()
  %late = icmp sge i64 %t, %end
  br i1 %late, label %no, label %poll
yes:
  ret i1 true
no:
  ret i1 false
}

; Add to a counter of the pool (locked).
define internal void @bump(ptr %counter, i32 %n) {
  %v = load i32, ptr %counter
  %v1 = add i32 %v, %n
  store i32 %v1, ptr %counter
  ret void
}

; A worker's life: take the first job, work on it; without one spin, then sleep; end when told to.
define internal ptr @worker(ptr %p) {
entry:
  %epochp = getelementptr %Pool, ptr %p, i32 0, i32 1
  %sleepersp = getelementptr %Pool, ptr %p, i32 0, i32 2
  %wokenp = getelementptr %Pool, ptr %p, i32 0, i32 3
  %spinnersp = getelementptr %Pool, ptr %p, i32 0, i32 4
  %headp = getelementptr %Pool, ptr %p, i32 0, i32 6
  %stopp = getelementptr %Pool, ptr %p, i32 0, i32 9
  %max.spinnersp = getelementptr %Pool, ptr %p, i32 0, i32 11
  %next.workerp = getelementptr %Pool, ptr %p, i32 0, i32 12
  %max.spinners = load i32, ptr %max.spinnersp
  %id.32 = atomicrmw add ptr %next.workerp, i32 1 monotonic
  %id = zext i32 %id.32 to i64
  %named = call i32 (i32, ...) @prctl(i32 15, ptr @thread_name)  ; PR_SET_NAME
  br label %look
look:
  call void @lock(ptr %p)
  br label %check
check:                                                    ; locked
  %spun = phi i1 [ false, %look ], [ false, %rise ], [ %tired, %spin ]
  %job = load ptr, ptr %headp
  %some = icmp ne ptr %job, null
  br i1 %some, label %take, label %idle
take:
  %first = call i1 @join(ptr %p, ptr %job)
  call void @unlock_and_wake(ptr %p)
  br i1 %first, label %stamp, label %work
stamp:
  %j1 = phi ptr [ %job, %take ], [ %next, %go.on ]
  %streak.1 = phi i32 [ 0, %take ], [ %streak.2, %go.on ]
  %startp = getelementptr %Job, ptr %j1, i32 0, i32 18
  %t = call i64 @now()
  store i64 %t, ptr %startp
  br label %work
work:
  %j = phi ptr [ %job, %take ], [ %j1, %stamp ]
  %streak = phi i32 [ 0, %take ], [ %streak.1, %stamp ]
  %early = call i1 @run(ptr %p, ptr %j, i64 %id, i64 0)
  ; A long chain must not keep a worker from the queue for ever.
  %keep = icmp ult i32 %streak, 64
  %next = call ptr @leave(ptr %p, ptr %j, i1 %keep)
  %chained = icmp ne ptr %next, null
  br i1 %chained, label %go.on, label %look
go.on:
  ; Ours alone, never queued: one reference, one participant, started.
  %streak.2 = add i32 %streak, 1
  %activep = getelementptr %Job, ptr %next, i32 0, i32 16
  %participantsp = getelementptr %Job, ptr %next, i32 0, i32 15
  %startedp = getelementptr %Job, ptr %next, i32 0, i32 17
  store atomic i32 1, ptr %activep monotonic, align 4
  store i32 1, ptr %participantsp
  store i32 1, ptr %startedp
  br label %stamp
idle:                                                     ; locked
  %stop = load i32, ptr %stopp
  %ending = icmp ne i32 %stop, 0
  br i1 %ending, label %end, label %rest
rest:
  %spinners = load i32, ptr %spinnersp
  %crowded = icmp sge i32 %spinners, %max.spinners
  %tired.out = or i1 %crowded, %spun
  br i1 %tired.out, label %sleep, label %spin
spin:
  call void @bump(ptr %spinnersp, i32 1)
  %turnsp = getelementptr %Pool, ptr %p, i32 0, i32 8
  %turns = load i64, ptr %turnsp
  call void @unlock(ptr %p)
  %found = call i1 @look_out(ptr %p, i64 %turns)
  %tired = xor i1 %found, true
  call void @lock(ptr %p)
  call void @bump(ptr %spinnersp, i32 -1)
  br label %check
sleep:
  call void @bump(ptr %sleepersp, i32 1)
  %seen = load atomic i32, ptr %epochp monotonic, align 4
  call void @unlock(ptr %p)
  call void @futex_wait(ptr %epochp, i32 %seen, i64 -1)
  call void @lock(ptr %p)
  call void @bump(ptr %sleepersp, i32 -1)
  %woken = load i32, ptr %wokenp
  %mine = icmp sgt i32 %woken, 0
  br i1 %mine, label %use, label %rise
use:
  call void @bump(ptr %wokenp, i32 -1)
  br label %rise
rise:
  br label %check
end:
  call void @unlock(ptr %p)
  %alivep = getelementptr %Pool, ptr %p, i32 0, i32 16
  %o = atomicrmw sub ptr %alivep, i32 1 release
  call void @futex_wake(ptr %alivep, i32 2147483647)
  ret ptr null
}

; Part: start and stop.

; Create the workers; returns how many the system granted and makes that the pool's n_threads. They
; inherit the caller's signal mask.
define i32 @pool_start(ptr %p) {
entry:
  %attr = alloca [16 x i64], align 16                      ; pthread_attr_t: 56 or 64 bytes
  %threadsp = getelementptr %Pool, ptr %p, i32 0, i32 15
  %countp = getelementptr %Pool, ptr %p, i32 0, i32 10
  %stackp = getelementptr %Pool, ptr %p, i32 0, i32 14
  %alivep = getelementptr %Pool, ptr %p, i32 0, i32 16
  %count = load i32, ptr %countp
  %stack = load i64, ptr %stackp
  %threads = load ptr, ptr %threadsp
  %r0 = call i32 @pthread_attr_init(ptr %attr)
  %r1 = call i32 @pthread_attr_setstacksize(ptr %attr, i64 %stack)
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %i1, %create ]
  %more = icmp slt i32 %i, %count
  br i1 %more, label %create, label %out
create:
  %a = atomicrmw add ptr %alivep, i32 1 monotonic
  %slot = getelementptr i64, ptr %threads, i32 %i
  %r2 = call i32 @pthread_create(ptr %slot, ptr %attr, ptr @worker, ptr %p)
  %i1 = add i32 %i, 1
  %ok = icmp eq i32 %r2, 0
  br i1 %ok, label %loop, label %refused
refused:
  %b = atomicrmw sub ptr %alivep, i32 1 monotonic
  store i32 %i, ptr %countp
  br label %out
out:
  %n = phi i32 [ %i, %loop ], [ %i, %refused ]
  %r3 = call i32 @pthread_attr_destroy(ptr %attr)
  ret i32 %n
}

; Ask the workers to end: how = 1 once the queue is empty, 2 without beginning another chunk.
define void @pool_stop(ptr %p, i32 %how) {
  %epochp = getelementptr %Pool, ptr %p, i32 0, i32 1
  %stopp = getelementptr %Pool, ptr %p, i32 0, i32 9
  call void @lock(ptr %p)
  store atomic i32 %how, ptr %stopp monotonic, align 4
  %o = atomicrmw add ptr %epochp, i32 1 monotonic
  call void @unlock(ptr %p)
  call void @futex_wake(ptr %epochp, i32 2147483647)
  ret void
}

; Wait at most about `timeout` ns for the workers to end after @pool_stop; returns how many are
; left. At 0 they are joined, so that nothing runs this code any more. May return early. Call by one
; thread only.
define i32 @pool_join_all(ptr %p, i64 %timeout) {
entry:
  %threadsp = getelementptr %Pool, ptr %p, i32 0, i32 15
  %countp = getelementptr %Pool, ptr %p, i32 0, i32 10
  %alivep = getelementptr %Pool, ptr %p, i32 0, i32 16
  %seen = load atomic i32, ptr %alivep acquire, align 4
  %none = icmp eq i32 %seen, 0
  br i1 %none, label %reap, label %sleep
sleep:
  call void @futex_wait(ptr %alivep, i32 %seen, i64 %timeout)
  %left = load atomic i32, ptr %alivep acquire, align 4
  %none.2 = icmp eq i32 %left, 0
  br i1 %none.2, label %reap, label %out
reap:
  %count = load i32, ptr %countp
  %threads = load ptr, ptr %threadsp
  br label %loop
loop:
  %i = phi i32 [ 0, %reap ], [ %i1, %join ]
  %more = icmp slt i32 %i, %count
  br i1 %more, label %join, label %gone
join:
  %slot = getelementptr i64, ptr %threads, i32 %i
  %thread = load i64, ptr %slot
  %r = call i32 @pthread_join(i64 %thread, ptr null)
  %i1 = add i32 %i, 1
  br label %loop
gone:
  ret i32 0
out:
  ret i32 %left
}

; The sizes of the structures, for pool.py to compare with its own: pool, job.
define i64 @pool_sizes() {
  %a = ptrtoint ptr getelementptr (%Pool, ptr null, i32 1) to i64
  %b = ptrtoint ptr getelementptr (%Job, ptr null, i32 1) to i64
  %a1 = shl i64 %a, 32
  %r = or i64 %a1, %b
  ret i64 %r
}

; Part: entries: copy, fill.

; Write n <= 256 KiB bytes (whole multiples of `size`) of a repeated pattern: once, then by doubling
; what is there up to a stretch that stays in the first-level cache, then stretch by stretch.
define internal void @repeat(ptr %dst, ptr %pattern, i64 %size, i64 %n) {
entry:
  %none = icmp sle i64 %n, 0
  br i1 %none, label %out, label %first
first:
  %r0 = call ptr @memcpy(ptr %dst, ptr %pattern, i64 %size)
  br label %loop
loop:
  %done = phi i64 [ %size, %first ], [ %done.1, %more ]
  %stretch = phi i64 [ %size, %first ], [ %stretch.1, %more ]
  %left = sub i64 %n, %done
  %over = icmp sle i64 %left, 0
  br i1 %over, label %out, label %more
more:
  %small = icmp slt i64 %done, 8192
  %stretch.1 = select i1 %small, i64 %done, i64 %stretch
  %k = call i64 @llvm.smin.i64(i64 %stretch.1, i64 %left)
  %to = getelementptr i8, ptr %dst, i64 %done
  %r1 = call ptr @memcpy(ptr %to, ptr %dst, i64 %k)
  %done.1 = add i64 %done, %k
  br label %loop
out:
  ret void
}

; Bytes from an address to the next multiple of 64, at most n.
define internal i64 @to_line(ptr %a, i64 %n) {
  %v = ptrtoint ptr %a to i64
  %m = sub i64 0, %v
  %h = and i64 %m, 63
  %r = call i64 @llvm.smin.i64(i64 %h, i64 %n)
  ret i64 %r
}

; Arguments of @pool_copy: destination, source, bytes, stream (not 0: go past the caches; for sizes
; that exceed them, this saves reading the destination). A unit is a block of 256 KiB.
%Copy = type { ptr, ptr, i64, i64 }

define void @pool_copy(ptr %args, i64 %begin, i64 %end, i64 %worker) {
entry:
  %srcp = getelementptr %Copy, ptr %args, i32 0, i32 1
  %bytesp = getelementptr %Copy, ptr %args, i32 0, i32 2
  %streamp = getelementptr %Copy, ptr %args, i32 0, i32 3
  %dst.0 = load ptr, ptr %args
  %src.0 = load ptr, ptr %srcp
  %bytes = load i64, ptr %bytesp
  %stream = load i64, ptr %streamp
  %from = shl i64 %begin, 18
  %to.0 = shl i64 %end, 18
  %to = call i64 @llvm.smin.i64(i64 %to.0, i64 %bytes)
  %n = sub i64 %to, %from
  %dst = getelementptr i8, ptr %dst.0, i64 %from
  %src = getelementptr i8, ptr %src.0, i64 %from
  %cached = icmp eq i64 %stream, 0
  br i1 %cached, label %plain, label %streamed
plain:
  %r0 = call ptr @memcpy(ptr %dst, ptr %src, i64 %n)
  ret void
streamed:
  %head = call i64 @to_line(ptr %dst, i64 %n)
  %r1 = call ptr @memcpy(ptr %dst, ptr %src, i64 %head)
  %rest = sub i64 %n, %head
  %body = and i64 %rest, -256
  %dst.1 = getelementptr i8, ptr %dst, i64 %head
  %src.1 = getelementptr i8, ptr %src, i64 %head
  br label %loop
loop:
  %i = phi i64 [ 0, %streamed ], [ %i1, %lines ]
  %more = icmp slt i64 %i, %body
  br i1 %more, label %lines, label %tail
lines:
  %s0 = getelementptr i8, ptr %src.1, i64 %i
  %s1 = getelementptr i8, ptr %s0, i64 64
  %s2 = getelementptr i8, ptr %s0, i64 128
  %s3 = getelementptr i8, ptr %s0, i64 192
  %v0 = load <8 x i64>, ptr %s0, align 1
  %v1 = load <8 x i64>, ptr %s1, align 1
  %v2 = load <8 x i64>, ptr %s2, align 1
  %v3 = load <8 x i64>, ptr %s3, align 1
  %d0 = getelementptr i8, ptr %dst.1, i64 %i
  %d1 = getelementptr i8, ptr %d0, i64 64
  %d2 = getelementptr i8, ptr %d0, i64 128
  %d3 = getelementptr i8, ptr %d0, i64 192
  store <8 x i64> %v0, ptr %d0, align 64, !nontemporal !0
  store <8 x i64> %v1, ptr %d1, align 64, !nontemporal !0
  store <8 x i64> %v2, ptr %d2, align 64, !nontemporal !0
  store <8 x i64> %v3, ptr %d3, align 64, !nontemporal !0
  %i1 = add i64 %i, 256
  br label %loop
tail:
  %left = sub i64 %rest, %body
  %d.end = getelementptr i8, ptr %dst.1, i64 %body
  %s.end = getelementptr i8, ptr %src.1, i64 %body
  %r2 = call ptr @memcpy(ptr %d.end, ptr %s.end, i64 %left)
  fence seq_cst              ; on x86 streamed stores are not ordered by a mere release
  ret void
}

; Arguments of @pool_fill: destination, pattern, its bytes, count of patterns, patterns in a unit,
; stream (only if a pattern's bytes are a power of two up to 64 that divides the destination's
; address).
%Fill = type { ptr, ptr, i64, i64, i64, i64 }

define void @pool_fill(ptr %args, i64 %begin, i64 %end, i64 %worker) {
entry:
  %line = alloca [64 x i8], align 64
  %patternp = getelementptr %Fill, ptr %args, i32 0, i32 1
  %sizep = getelementptr %Fill, ptr %args, i32 0, i32 2
  %countp = getelementptr %Fill, ptr %args, i32 0, i32 3
  %blockp = getelementptr %Fill, ptr %args, i32 0, i32 4
  %streamp = getelementptr %Fill, ptr %args, i32 0, i32 5
  %dst.0 = load ptr, ptr %args
  %pattern = load ptr, ptr %patternp
  %size = load i64, ptr %sizep
  %count = load i64, ptr %countp
  %block = load i64, ptr %blockp
  %stream = load i64, ptr %streamp
  %from = mul i64 %begin, %block
  %to.0 = mul i64 %end, %block
  %to = call i64 @llvm.smin.i64(i64 %to.0, i64 %count)
  %n.0 = sub i64 %to, %from
  %n = mul i64 %n.0, %size
  %offset = mul i64 %from, %size
  %dst = getelementptr i8, ptr %dst.0, i64 %offset
  %cached = icmp eq i64 %stream, 0
  br i1 %cached, label %plain, label %streamed
plain:
  call void @repeat(ptr %dst, ptr %pattern, i64 %size, i64 %n)
  ret void
streamed:
  %head = call i64 @to_line(ptr %dst, i64 %n)
  call void @repeat(ptr %dst, ptr %pattern, i64 %size, i64 %head)
  call void @repeat(ptr %line, ptr %pattern, i64 %size, i64 64)
  %v = load <8 x i64>, ptr %line, align 64
  %rest = sub i64 %n, %head
  %body = and i64 %rest, -64
  %dst.1 = getelementptr i8, ptr %dst, i64 %head
  br label %loop
loop:
  %i = phi i64 [ 0, %streamed ], [ %i1, %lines ]
  %more = icmp slt i64 %i, %body
  br i1 %more, label %lines, label %tail
lines:
  %d = getelementptr i8, ptr %dst.1, i64 %i
  store <8 x i64> %v, ptr %d, align 64, !nontemporal !0
  %i1 = add i64 %i, 64
  br label %loop
tail:
  %left = sub i64 %rest, %body
  %d.end = getelementptr i8, ptr %dst.1, i64 %body
  call void @repeat(ptr %d.end, ptr %pattern, i64 %size, i64 %left)
  fence seq_cst
  ret void
}

!0 = !{ i32 1 }
