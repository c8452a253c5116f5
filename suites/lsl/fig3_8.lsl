; CheckFence thesis, figure 3.8: compare-and-swap as an atomic block (section 4.6.2), called by two threads; and section 4.6.1: one of
; them chooses what it writes. Both cannot be first.
;
; expect sc,relaxed forbidden
program "figure 3.8"
language IR

global loc = 0:i32

function cas(%loc, %old, %new) -> 1 {
  registers loc, old, new, value, equal
  b0:
    atomic_begin
    %value := load %loc plain
    %equal := eq %value, %old
    branch %equal, b1, b2
  b1:
    store %loc, %new plain
    jump b2
  b2:
    atomic_end
    return %equal
}

function P0() {
  registers done
  b0:
    %done := call @cas(&loc, 0:i32, 1:i32)
    return
}

function P1() {
  registers done, new
  b0:
    %new := choose 2 .. 3:i32
    %done := call @cas(&loc, 0:i32, %new)
    return
}

thread P0 = @P0()
thread P1 = @P1()

exists 0:%done == 1:i32 and 1:%done == 1:i32
