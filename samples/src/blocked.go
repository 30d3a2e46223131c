// blocked.go - goroutines that wait in several ways; writes profiles as text,
// waits for a minute if it is asked to, and panics.
package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
	"time"
)

type box struct{ lock sync.Mutex }

var kept [][]byte
var sink uint64

//go:noinline
func (b *box) wait(c chan int) { <-c }

func (b *box) inlined(c chan int) { <-c }

func send[T any](c chan T) { c <- *new(T) }

func deep(n int, c chan int) {
	if n == 0 {
		<-c
	}
	deep(n-1, c)
}

//go:noinline
func keep(n int) {
	if n > 0 {
		kept = append(kept, make([]byte, 100000*n))
		keep(n - 1)
	}
}

//go:noinline
func fib(n int) uint64 {
	if n < 2 {
		return uint64(n)
	}
	return fib(n-1) + fib(n-2)
}

func write(name string, debug int) {
	f, _ := os.Create(fmt.Sprintf("%s.debug%d", name, debug))
	pprof.Lookup(name).WriteTo(f, debug)
	f.Close()
}

func contend() {
	var lock sync.Mutex
	var done sync.WaitGroup
	for i := 0; i < 4; i++ {
		done.Add(1)
		go func() {
			for j := 0; j < 50; j++ {
				lock.Lock()
				sink += fib(20)
				lock.Unlock()
			}
			done.Done()
		}()
	}
	done.Wait()
}

func block() {
	b, c := &box{}, make(chan int)
	for i := 0; i < 3; i++ {
		go b.wait(c)
	}
	go func() { b.inlined(c) }()
	go send(make(chan string))
	go deep(120, c)
	go func() { select {} }()
	go func() {
		runtime.LockOSThread()
		time.Sleep(time.Hour)
	}()
	labels := pprof.Labels("worker", `number "one"`, "id", "7")
	pprof.Do(context.Background(), labels, func(context.Context) {
		go b.wait(c)
	})
	b.lock.Lock()
	go b.lock.Lock()
	time.Sleep(50 * time.Millisecond)
}

func main() {
	runtime.MemProfileRate = 65536
	runtime.SetMutexProfileFraction(2)
	runtime.SetBlockProfileRate(1)
	keep(6)
	keep(3)
	kept = kept[:5]
	runtime.GC()
	write("heap", 1)
	contend()
	write("mutex", 1)
	write("block", 1)
	block()
	write("goroutine", 0)
	write("goroutine", 1)
	write("threadcreate", 1)
	if len(os.Args) > 1 {
		runtime.GC()
		time.Sleep(65 * time.Second)
	}
	write("goroutine", 2)
	fail()
}

func fail() {
	panic("done")
}
