%% work.erl - calls, recursion, a second process, for fprof and eprof.
-module(work).
-export([run/0, fib/1, even/1, odd/1]).

fib(N) when N < 2 -> N;
fib(N) -> fib(N - 1) + fib(N - 2).

even(0) -> true;
even(N) -> odd(N - 1).

odd(0) -> false;
odd(N) -> X = even(N - 1), X.

squares(N) ->
    [X * X || X <- lists:seq(1, N)].

worker(Parent) ->
    lists:sort(fun(A, B) -> A > B end, squares(100)),
    Parent ! done.

run() ->
    Parent = self(),
    Pid = spawn(fun() -> worker(Parent) end),
    fib(12),
    even(50),
    receive done -> Pid end,
    lists:foldl(fun(X, Sum) -> X + Sum end, 0, squares(50)).
