; CheckFence thesis, figure 4.3: a conditional with two arms, of the variables of figure 4.2. `x` is a structure of a number and an
; array of three, so that &x[0] is x.a, and &x[1][2] is x.b[2].
;
; expect sc,relaxed forbidden
program "figure 4.3"
language IR

global x = undefined { [0] = 7:i32, [1][0] = 0:i32, [1][1] = 0:i32, [1][2] = 0:i32 }
global y = 0:i32

function P0() {
  registers pxa, r, py
  b0:
    %pxa := copy &x[0]
    %r := load %pxa plain
    branch %r, b1, b2
  b1:
    %py := copy &y
    store %py, 1:i32 plain
    jump b3
  b2:
    %py := copy &y
    store %py, 2:i32 plain
    jump b3
  b3:
    return
}

thread P0 = @P0()

exists y != 1:i32
