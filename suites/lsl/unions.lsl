; CheckFence thesis, section 4.6.3: a tagged union packs a pointer and a mark into one word, and the word is written as a whole.
;
; expect sc,relaxed forbidden
program "section 4.6.3"
language IR

global word = mark_ptr(0:i32, 0:i32)

function P0() {
  registers packed
  b0:
    %packed := make[mark_ptr, 2] &word, 1:i32
    store &word, %packed plain
    return
}

function P1() {
  registers packed, pointer, mark
  b0:
    %packed := load &word plain
    %pointer := get[mark_ptr, 0] %packed
    %mark := get[mark_ptr, 1] %packed
    return
}

thread P0 = @P0()
thread P1 = @P1()

exists 1:%mark == 1:i32 and 1:%pointer == 0:i32
