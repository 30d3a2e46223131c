<?php
require_once __DIR__ . '/shapes.php';

class ShapesTest extends PHPUnit\Framework\TestCase
{
    public function testSum()
    {
        $shapes = new Shapes([['circle', 1], ['line', 2]]);
        $this->assertEquals(3, $shapes->sum());
    }
}
