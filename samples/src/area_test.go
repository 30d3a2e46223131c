package area

import "testing"

func TestOf(t *testing.T) {
	if got, _ := Of(Shape{"square", 3}); got != 9 {
		t.Error(got)
	}
}

func TestSum(t *testing.T) {
	nothing()
	got := Sum(Shape{"circle", 1}, Shape{"square", 2}, Shape{"line", 3})
	if got < 7.1 || got > 7.2 {
		t.Error(got)
	}
}
