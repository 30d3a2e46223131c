[New LWP 29184]
[New LWP 29185]
[Thread debugging using libthread_db enabled]
Using host libthread_db library "/lib/x86_64-linux-gnu/libthread_db.so.1".
__futex_abstimed_wait_common64 (private=128, cancel=true, abstime=0x0, op=265, expected=29184, futex_word=0x7fc48a01d990) at ./nptl/futex-internal.c:57
57	./nptl/futex-internal.c: No such file or directory.

Thread 3 (Thread 0x7fc48981c6c0 (LWP 29185) "it's "2""):
#0  0x00007fc48a0ed545 in __GI___clock_nanosleep (clock_id=clock_id@entry=0, flags=flags@entry=0, req=req@entry=0x7fc48981bdc0, rem=rem@entry=0x7fc48981bdc0) at ../sysdeps/unix/sysv/linux/clock_nanosleep.c:48
#1  0x00007fc48a0f1e53 in __GI___nanosleep (req=req@entry=0x7fc48981bdc0, rem=rem@entry=0x7fc48981bdc0) at ../sysdeps/unix/sysv/linux/nanosleep.c:25
#2  0x00007fc48a0f1d8a in __sleep (seconds=0) at ../sysdeps/posix/sleep.c:55
#3  0x0000556bee8613b7 in doze (seconds=600) at waits.cc:20
#4  box<int>::operator() (this=this@entry=0x7fc48981be38, limit=41) at waits.cc:26
#5  0x0000556bee8613e0 in box<int>::operator< (this=this@entry=0x7fc48981be38, other=...) at waits.cc:33
#6  0x0000556bee861393 in operator() (x=<optimized out>, __closure=<optimized out>) at waits.cc:50
#7  std::__invoke_impl<bool, run(void*)::<lambda(int)>&, int> (__f=...) at /usr/include/c++/12/bits/invoke.h:61
#8  std::__invoke_r<bool, run(void*)::<lambda(int)>&, int> (__fn=...) at /usr/include/c++/12/bits/invoke.h:114
#9  std::_Function_handler<bool(int), run(void*)::<lambda(int)> >::_M_invoke(const std::_Any_data &, int &&) (__functor=..., __args#0=<optimized out>) at /usr/include/c++/12/bits/std_function.h:290
#10 0x0000556bee861228 in std::function<bool (int)>::operator()(int) const (__args#0=<optimized out>, this=0x7fc48981beb0) at /usr/include/c++/12/bits/std_function.h:591
#11 (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=0, call=...) at waits.cc:40
#12 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=1, call=...) at waits.cc:40
#13 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=2, call=...) at waits.cc:40
#14 0x0000556bee861280 in run (arg=0x7fff821291a0) at waits.cc:48
#15 0x00007fc48a0a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#16 0x00007fc48a1278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 2 (Thread 0x7fc48a01d6c0 (LWP 29184) "worker one"):
#0  0x00007fc48a0ed545 in __GI___clock_nanosleep (clock_id=clock_id@entry=0, flags=flags@entry=0, req=req@entry=0x7fc48a01cdc0, rem=rem@entry=0x7fc48a01cdc0) at ../sysdeps/unix/sysv/linux/clock_nanosleep.c:48
#1  0x00007fc48a0f1e53 in __GI___nanosleep (req=req@entry=0x7fc48a01cdc0, rem=rem@entry=0x7fc48a01cdc0) at ../sysdeps/unix/sysv/linux/nanosleep.c:25
#2  0x00007fc48a0f1d8a in __sleep (seconds=0) at ../sysdeps/posix/sleep.c:55
#3  0x0000556bee8613b7 in doze (seconds=600) at waits.cc:20
#4  box<int>::operator() (this=this@entry=0x7fc48a01ce38, limit=41) at waits.cc:26
#5  0x0000556bee8613e0 in box<int>::operator< (this=this@entry=0x7fc48a01ce38, other=...) at waits.cc:33
#6  0x0000556bee861393 in operator() (x=<optimized out>, __closure=<optimized out>) at waits.cc:50
#7  std::__invoke_impl<bool, run(void*)::<lambda(int)>&, int> (__f=...) at /usr/include/c++/12/bits/invoke.h:61
#8  std::__invoke_r<bool, run(void*)::<lambda(int)>&, int> (__fn=...) at /usr/include/c++/12/bits/invoke.h:114
#9  std::_Function_handler<bool(int), run(void*)::<lambda(int)> >::_M_invoke(const std::_Any_data &, int &&) (__functor=..., __args#0=<optimized out>) at /usr/include/c++/12/bits/std_function.h:290
#10 0x0000556bee861228 in std::function<bool (int)>::operator()(int) const (__args#0=<optimized out>, this=0x7fc48a01ceb0) at /usr/include/c++/12/bits/std_function.h:591
#11 (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=0, call=...) at waits.cc:40
#12 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=1, call=...) at waits.cc:40
#13 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=2, call=...) at waits.cc:40
#14 0x0000556bee861280 in run (arg=0x7fff82129190) at waits.cc:48
#15 0x00007fc48a0a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#16 0x00007fc48a1278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 1 (Thread 0x7fc48a463740 (LWP 29182) "waits"):
#0  __futex_abstimed_wait_common64 (private=128, cancel=true, abstime=0x0, op=265, expected=29184, futex_word=0x7fc48a01d990) at ./nptl/futex-internal.c:57
#1  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x7fc48a01d990, expected=29184, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=128, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#2  0x00007fc48a0a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x7fc48a01d990, expected=<optimized out>, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=128) at ./nptl/futex-internal.c:139
#3  0x00007fc48a0a8ce3 in __pthread_clockjoin_ex (threadid=140482105693888, thread_return=0x0, clockid=0, abstime=0x0, block=<optimized out>) at ./nptl/pthread_join_common.c:102
#4  0x0000556bee861358 in main () at waits.cc:71
[Inferior 1 (process 29182) detached]
[New LWP 29184]
[New LWP 29185]
[Thread debugging using libthread_db enabled]
Using host libthread_db library "/lib/x86_64-linux-gnu/libthread_db.so.1".
0x00007fc48a0f1df2 in __libc_pause () at ../sysdeps/unix/sysv/linux/pause.c:29
29	../sysdeps/unix/sysv/linux/pause.c: No such file or directory.

Thread 3 (Thread 0x7fc48981c6c0 (LWP 29185) "it's "2""):
#0  0x00007fc48a0ed545 in __GI___clock_nanosleep (clock_id=clock_id@entry=0, flags=flags@entry=0, req=req@entry=0x7fc48981bdc0, rem=rem@entry=0x7fc48981bdc0) at ../sysdeps/unix/sysv/linux/clock_nanosleep.c:48
#1  0x00007fc48a0f1e53 in __GI___nanosleep (req=req@entry=0x7fc48981bdc0, rem=rem@entry=0x7fc48981bdc0) at ../sysdeps/unix/sysv/linux/nanosleep.c:25
#2  0x00007fc48a0f1d8a in __sleep (seconds=0) at ../sysdeps/posix/sleep.c:55
#3  0x0000556bee8613b7 in doze (seconds=600) at waits.cc:20
#4  box<int>::operator() (this=this@entry=0x7fc48981be38, limit=41) at waits.cc:26
#5  0x0000556bee8613e0 in box<int>::operator< (this=this@entry=0x7fc48981be38, other=...) at waits.cc:33
#6  0x0000556bee861393 in operator() (x=<optimized out>, __closure=<optimized out>) at waits.cc:50
#7  std::__invoke_impl<bool, run(void*)::<lambda(int)>&, int> (__f=...) at /usr/include/c++/12/bits/invoke.h:61
#8  std::__invoke_r<bool, run(void*)::<lambda(int)>&, int> (__fn=...) at /usr/include/c++/12/bits/invoke.h:114
#9  std::_Function_handler<bool(int), run(void*)::<lambda(int)> >::_M_invoke(const std::_Any_data &, int &&) (__functor=..., __args#0=<optimized out>) at /usr/include/c++/12/bits/std_function.h:290
#10 0x0000556bee861228 in std::function<bool (int)>::operator()(int) const (__args#0=<optimized out>, this=0x7fc48981beb0) at /usr/include/c++/12/bits/std_function.h:591
#11 (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=0, call=...) at waits.cc:40
#12 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=1, call=...) at waits.cc:40
#13 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=2, call=...) at waits.cc:40
#14 0x0000556bee861280 in run (arg=0x7fff821291a0) at waits.cc:48
#15 0x00007fc48a0a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#16 0x00007fc48a1278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 2 (Thread 0x7fc48a01d6c0 (LWP 29184) "worker one"):
#0  0x00007fc48a0ed545 in __GI___clock_nanosleep (clock_id=clock_id@entry=0, flags=flags@entry=0, req=req@entry=0x7fc48a01cdc0, rem=rem@entry=0x7fc48a01cdc0) at ../sysdeps/unix/sysv/linux/clock_nanosleep.c:48
#1  0x00007fc48a0f1e53 in __GI___nanosleep (req=req@entry=0x7fc48a01cdc0, rem=rem@entry=0x7fc48a01cdc0) at ../sysdeps/unix/sysv/linux/nanosleep.c:25
#2  0x00007fc48a0f1d8a in __sleep (seconds=0) at ../sysdeps/posix/sleep.c:55
#3  0x0000556bee8613b7 in doze (seconds=600) at waits.cc:20
#4  box<int>::operator() (this=this@entry=0x7fc48a01ce38, limit=41) at waits.cc:26
#5  0x0000556bee8613e0 in box<int>::operator< (this=this@entry=0x7fc48a01ce38, other=...) at waits.cc:33
#6  0x0000556bee861393 in operator() (x=<optimized out>, __closure=<optimized out>) at waits.cc:50
#7  std::__invoke_impl<bool, run(void*)::<lambda(int)>&, int> (__f=...) at /usr/include/c++/12/bits/invoke.h:61
#8  std::__invoke_r<bool, run(void*)::<lambda(int)>&, int> (__fn=...) at /usr/include/c++/12/bits/invoke.h:114
#9  std::_Function_handler<bool(int), run(void*)::<lambda(int)> >::_M_invoke(const std::_Any_data &, int &&) (__functor=..., __args#0=<optimized out>) at /usr/include/c++/12/bits/std_function.h:290
#10 0x0000556bee861228 in std::function<bool (int)>::operator()(int) const (__args#0=<optimized out>, this=0x7fc48a01ceb0) at /usr/include/c++/12/bits/std_function.h:591
#11 (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=0, call=...) at waits.cc:40
#12 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=1, call=...) at waits.cc:40
#13 0x0000556bee86120a in (anonymous namespace)::recurse(int, const std::function<bool(int)> &) (depth=depth@entry=2, call=...) at waits.cc:40
#14 0x0000556bee861280 in run (arg=0x7fff82129190) at waits.cc:48
#15 0x00007fc48a0a71f5 in start_thread (arg=<optimized out>) at ./nptl/pthread_create.c:442
#16 0x00007fc48a1278ec in clone3 () at ../sysdeps/unix/sysv/linux/x86_64/clone3.S:81

Thread 1 (Thread 0x7fc48a463740 (LWP 29182) "waits"):
#0  0x00007fc48a0f1df2 in __libc_pause () at ../sysdeps/unix/sysv/linux/pause.c:29
#1  0x0000556bee8611f2 in on_alarm () at waits.cc:57
#2  <signal handler called>
#3  0x00007fc48a0a3f14 in __futex_abstimed_wait_common64 (private=128, cancel=true, abstime=0x0, op=265, expected=29184, futex_word=0x7fc48a01d990) at ./nptl/futex-internal.c:57
#4  __futex_abstimed_wait_common (futex_word=futex_word@entry=0x7fc48a01d990, expected=29184, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=128, cancel=cancel@entry=true) at ./nptl/futex-internal.c:87
#5  0x00007fc48a0a3f7b in __GI___futex_abstimed_wait_cancelable64 (futex_word=futex_word@entry=0x7fc48a01d990, expected=<optimized out>, clockid=clockid@entry=0, abstime=abstime@entry=0x0, private=private@entry=128) at ./nptl/futex-internal.c:139
#6  0x00007fc48a0a8ce3 in __pthread_clockjoin_ex (threadid=140482105693888, thread_return=0x0, clockid=0, abstime=0x0, block=<optimized out>) at ./nptl/pthread_join_common.c:102
#7  0x0000556bee861358 in main () at waits.cc:71
[Inferior 1 (process 29182) detached]
