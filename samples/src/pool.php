<?php
// pool.php - methods that compute and sleep, for samplers.
class Pool
{
	private int $sum = 0;

	public function run(int $jobs): void
	{
		for ($i = 0; $i < $jobs; $i++) {
			$this->next($i);
			$this->wait();
		}
	}

	private function next(int $n): void
	{
		for ($i = 0; $i < 300000; $i++)
			$this->sum += $i % ($n + 1);
	}

	private function wait(): void
	{
		usleep(20000);
	}
}

(new Pool)->run(6);
array_map(fn ($n) => usleep(10000 * $n), [1, 2]);
