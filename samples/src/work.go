// work.go - recursion, inlined calls, labels; a profile of each kind.
package main

import (
	"context"
	"os"
	"runtime"
	"runtime/pprof"
	"sync"
)

var sink uint64
var kept [][]byte

func tiny(x uint64) uint64 { return x*2862933555777941757 + 3037000493 }

func even(n int, x uint64) uint64 {
	if n == 0 {
		return x
	}
	return odd(n-1, tiny(x))
}

//go:noinline
func odd(n int, x uint64) uint64 {
	for i := 0; i < 20000; i++ {
		x = tiny(x)
	}
	return even(n, x)
}

//go:noinline
func fib(n int) uint64 {
	if n < 2 {
		return uint64(n)
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func keep(n int) {
	if n > 0 {
		kept = append(kept, make([]byte, 4096*n))
		keep(n - 1)
	}
}

func write(name, path string) {
	f, _ := os.Create(path)
	pprof.Lookup(name).WriteTo(f, 0)
	f.Close()
}

func main() {
	runtime.MemProfileRate = 512
	runtime.SetMutexProfileFraction(1)
	f, _ := os.Create("cpu.pb.gz")
	pprof.StartCPUProfile(f)
	for _, worker := range []string{"one", "two"} {
		labels := pprof.Labels("worker", worker)
		pprof.Do(context.Background(), labels, func(context.Context) {
			sink += fib(36) + even(2000, 1)
		})
	}
	pprof.StopCPUProfile()
	f.Close()
	keep(6)
	keep(3)
	write("heap", "heap.pb.gz")

	var lock sync.Mutex
	var done sync.WaitGroup
	for i := 0; i < 4; i++ {
		done.Add(1)
		go func() {
			for j := 0; j < 20; j++ {
				lock.Lock()
				sink += fib(22)
				lock.Unlock()
			}
			done.Done()
		}()
	}
	done.Wait()
	write("mutex", "mutex.pb.gz")
}
