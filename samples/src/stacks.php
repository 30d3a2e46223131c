<?php
// The stacks of a, b and c for an XHProf: php stacks.php OUT
function c($n) { for ($i = $s = 0; $i < $n; $i++) $s += $i * $i % 7; return $s; }
function a($n, $deep) { return $deep ? b($n) : c($n); }
function b($n) { return a($n, false); }
tideways_xhprof_enable(TIDEWAYS_XHPROF_FLAGS_CPU | TIDEWAYS_XHPROF_FLAGS_MEMORY);
for ($i = 0; $i < 5; $i++) { a(20000, true); a(20000, false); }
file_put_contents($argv[1], json_encode(tideways_xhprof_disable()));
