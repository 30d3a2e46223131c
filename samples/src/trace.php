<?php
function leaf($n) {
	$a = [];
	for ($i = 0; $i < $n; $i++)
		$a[] = $i * $n;
	return count($a);
}
class Shape {
	function area($n) { return leaf($n) + $this->helper($n); }
	private function helper($n) { return strlen(str_repeat("x", $n)); }
}
function rec($n) { return $n > 0 ? rec($n - 1) + leaf(10) : 0; }
$f = function ($x) { return leaf($x); };
$s = new Shape();
echo $s->area(2000), rec(3), $f(300), array_sum(array_map('leaf', [5, 6])), "\n";
