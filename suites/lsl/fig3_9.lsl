; CheckFence thesis, figure 3.9: a lock of an atomic block and partial fences, around the increments of two operations. A bounded
; test: its operations show what they saw. The loop of the lock waits (section 7.2.3): only its last iteration counts, so that it
; is written as an atomic block that awaits a free lock.
;
; expect sc,relaxed holds
program "figure 3.9"
language IR

global lock = 0:i32
global counter = 0:i32

function lock(%lock) {
  registers lock, value, is_free
  b0:
    atomic_begin
    %value := load %lock plain
    %is_free := eq %value, 0:i32
    await %is_free
    store %lock, 1:i32 plain
    atomic_end
    fence plain{LL}
    fence plain{LS}
    return
}

function unlock(%lock) {
  registers lock, value, is_held
  b0:
    fence plain{LS}
    fence plain{SS}
    atomic_begin
    %value := load %lock plain
    %is_held := eq %value, 1:i32
    assert %is_held, "*lock == held"
    store %lock, 0:i32 plain
    atomic_end
    return
}

function increment() {
  registers value, next
  b0:
    call @lock(&lock)
    %value := load &counter plain
    %next := add %value, 1:i32
    store &counter, %next plain
    call @unlock(&lock)
    observe value, %value
    return
}

function P0() {
  b0:
    call @increment()
    return
}

function P1() {
  b0:
    call @increment()
    return
}

thread P0 = @P0()
thread P1 = @P1()
