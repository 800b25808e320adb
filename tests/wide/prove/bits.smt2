; What prove.c, product.c and fold.c take for granted of shifts and masks, for every
; number of 64 bits, by Z3's bit vectors. Asked for is a number for which it
; does not hold: each answer must be "unsat".
(declare-const a (_ BitVec 64))
(declare-const b (_ BitVec 64))
(define-fun is ((claim Bool)) Bool (not claim))
(define-fun word ((x (_ BitVec 64))) Bool (bvult x #x0000000100000000))

; parts; right32, mask: quotient and remainder by 2^32
(push) (assert (is (= (bvlshr a #x0000000000000020)
    (bvudiv a #x0000000100000000)))) (check-sat) (pop)
(push) (assert (is (= (bvand a #x00000000FFFFFFFF)
    (bvurem a #x0000000100000000)))) (check-sat) (pop)
(push) (assert (is (= a (bvadd (bvmul (bvudiv a #x0000000100000000)
    #x0000000100000000) (bvurem a #x0000000100000000))))) (check-sat) (pop)

; upper: without the remainder by 2^32; all: as it was
(push) (assert (is (= (bvand a #xFFFFFFFF00000000) (bvmul #x0000000100000000
    (bvudiv a #x0000000100000000))))) (check-sat) (pop)
(push) (assert (is (= (bvand a #xFFFFFFFFFFFFFFFF) a))) (check-sat) (pop)

; right1, right3, right8, right27: quotients
(push) (assert (is (= (bvlshr a #x0000000000000001)
    (bvudiv a #x0000000000000002)))) (check-sat) (pop)
(push) (assert (is (= (bvlshr a #x0000000000000003)
    (bvudiv a #x0000000000000008)))) (check-sat) (pop)
(push) (assert (is (= (bvlshr a #x0000000000000008)
    (bvudiv a #x0000000000000100)))) (check-sat) (pop)
(push) (assert (is (= (bvlshr a #x000000000000001B)
    (bvudiv a #x0000000008000000)))) (check-sat) (pop)

; right34: none left; above34: the same, as Frama-C writes it
(push) (assert (is (= (= (bvlshr a #x0000000000000022) #x0000000000000000)
    (bvult a #x0000000400000000)))) (check-sat) (pop)
(push) (assert (is (= (= (bvand a #xFFFFFFFC00000000) #x0000000000000000)
    (bvult a #x0000000400000000)))) (check-sat) (pop)

; left5: a multiple of 32 (of a word: nothing is lost)
(push) (assert (word a)) (assert (is (= (bvshl a #x0000000000000005)
    (bvmul a #x0000000000000020)))) (check-sat) (pop)

; and7, and31: remainders; or255, bit: at most that
(push) (assert (is (= (bvand a #x0000000000000007)
    (bvurem a #x0000000000000008)))) (check-sat) (pop)
(push) (assert (is (= (bvand a #x000000000000001F)
    (bvurem a #x0000000000000020)))) (check-sat) (pop)
(push) (assert (bvule a #x0000000000000007)) (define-fun bit () (_ BitVec 64)
    (bvshl #x0000000000000001 a)) (assert (is (and (bvuge bit
    #x0000000000000001) (bvule bit #x0000000000000080)))) (check-sat) (pop)
(push) (assert (bvule a #x00000000000000FF))
(assert (bvule b #x00000000000000FF))
(assert (is (bvule (bvor a b) #x00000000000000FF))) (check-sat) (pop)

; above: x >> 8 is 0, as x & -256 (in that way Frama-C writes it)
(push) (assert (word a)) (assert (is (= (= (bvand a #xFFFFFFFFFFFFFF00)
    #x0000000000000000) (bvult a #x0000000000000100)))) (check-sat) (pop)

; bloom_load64_: two words side by side are added
(push) (assert (word a)) (assert (word b)) (assert (is (= (bvor a
    (bvshl b #x0000000000000020)) (bvadd a (bvmul b #x0000000100000000)))))
(check-sat) (pop)
