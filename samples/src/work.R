# work.R - recursion, methods and operators, for Rprof.
fib <- function(n) {
    if (n < 2) return(n)
    fib(n - 1) +
        fib(n - 2)
}

summary.work <- function(object, ...) {
    frame <- data.frame(x = runif(3000), g = rep(1:300, 10))
    frame <- frame[order(frame$x), ]
    sapply(split(frame$x, frame$g), mean)
}

`%+%` <- function(a, b) fib(a) + fib(b)

run <- function() {
    for (i in 1:3) {
        summary(structure(list(), class = "work"))
        20 %+% 17
    }
    (function(n) fib(n))(19)
}
