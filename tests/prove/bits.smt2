; Proves the properties of shifts and masks that prove.c, product.c and
; fold_proof.c assume, for every number of 64 bits, by Z3's bit vectors (`make
; prove`). Each query asks for a counterexample. Each answer must be "unsat":
; there is none. The names before the queries are those of the lemmas.
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

; upper: the number less its remainder by 2^32; all: the number itself
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

; right34: 0 exactly if below 2^34; above34: the same, as Frama-C writes it
(push) (assert (is (= (= (bvlshr a #x0000000000000022) #x0000000000000000)
    (bvult a #x0000000400000000)))) (check-sat) (pop)
(push) (assert (is (= (= (bvand a #xFFFFFFFC00000000) #x0000000000000000)
    (bvult a #x0000000400000000)))) (check-sat) (pop)

; and7: the remainder; bit: at most 2^7
(push) (assert (is (= (bvand a #x0000000000000007)
    (bvurem a #x0000000000000008)))) (check-sat) (pop)
(push) (assert (bvule a #x0000000000000007)) (define-fun bit () (_ BitVec 64)
    (bvshl #x0000000000000001 a)) (assert (is (and (bvuge bit
    #x0000000000000001) (bvule bit #x0000000000000080)))) (check-sat) (pop)

; above: x >> 8 is 0 exactly if x < 256 (Frama-C writes it as x & -256)
(push) (assert (word a)) (assert (is (= (= (bvand a #xFFFFFFFFFFFFFF00)
    #x0000000000000000) (bvult a #x0000000000000100)))) (check-sat) (pop)

; Two words side by side in a 64-bit number are their sum (loads of 64 bits)
(push) (assert (word a)) (assert (word b)) (assert (is (= (bvor a
    (bvshl b #x0000000000000020)) (bvadd a (bvmul b #x0000000100000000)))))
(check-sat) (pop)
