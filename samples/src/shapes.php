<?php
// shapes.php - methods, a closure and branches; its test runs some of it.
class Shapes
{
    private $shapes = [];

    public function __construct(array $shapes)
    {
        $this->shapes = $shapes;
    }

    public function area(string $kind, float $size): float
    {
        if ($kind === 'circle') {
            return 3 * $size * $size;
        }
        return $kind === 'square' ? $size * $size : 0;
    }

    public function sum(): float
    {
        return array_sum(array_map(function ($shape) {
            return $this->area($shape[0], $shape[1]);
        }, $this->shapes));
    }

    public function never()
    {
        foreach ($this->shapes as $shape) {
            echo $shape[0];
        }
    }
}
