#!/usr/bin/perl
# perf.pl BYTES [STACKS] - prints at least BYTES bytes of output of perf script:
# 5000 functions of 40 objects that call three others each, about 15 frames deep,
# STACKS stacks (default: 20000), addresses that differ from sample to sample, two
# events.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($bytes, $stacks) = @ARGV;
my $functions = 5000;
$stacks ||= 20000;

my @name = map {
    $_ % 3 ? "project::module" . $_ % 70 . "::Type<int, unsigned long>::method$_"
        : "(anonymous namespace)::helper$_"
} 0 .. $functions - 1;
my @object = map { $_ % 5 ? "/usr/lib/x86_64-linux-gnu/lib" . $_ % 40 . ".so.6"
        : '[kernel.kallsyms]' } 0 .. $functions - 1;
my @path = (0);
my @stack;
while (@stack < $stacks) {
    my $keep = @path - below(8);
    splice @path, $keep < 1 ? 1 : $keep;
    push @path, ($path[-1] * 3 + 1 + below(3)) % $functions
        for 1 .. 1 + below(@path < 12 ? 9 : 3);
    push @stack, [reverse @path];
}
my ($size, $time) = (0, 0);
while ($size < $bytes) {
    $time += 1001;
    my $stack = $stack[ below($stacks) ];
    my $text  = sprintf "worker %5d %5d.%06d: %10d %s: \n", 4000 + below(8),
        $time / 1e6, $time % 1e6, 1 + below(2000000),
        below(10) ? 'cycles:u' : 'page-faults';
    for my $fn (@$stack) {
        my $offset = 4 * below(40);
        $text .= sprintf "\t%16x %s+0x%x (%s)\n", 0x401000 + 256 * $fn + $offset,
            $name[$fn], $offset, $object[$fn];
    }
    $text .= "\n";
    print $text;
    $size += length $text;
}
