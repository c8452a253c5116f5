; CheckFence thesis, figure 4.4: a loop.
;
; expect sc,relaxed forbidden
program "figure 4.4"
language IR

function P0() {
  registers i, c
  b0:
    %i := copy 0:i32
    jump b1
  b1:
    %c := slt %i, 2:i32
    branch %c, b2, b3
  b2:
    %i := add %i, 1:i32
    jump b1
  b3:
    return
}

thread P0 = @P0()

exists 0:%i != 2:i32
