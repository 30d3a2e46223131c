#!/usr/bin/perl
# folded.pl BYTES [ORDER] - prints folded stacks of at least BYTES bytes: 5000
# functions that call three others each, about 30 frames deep, 20000 stacks,
# repeated. ORDER: sorted (as stackcollapse-*.pl write them) or mixed.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($bytes, $order) = (@ARGV, 'sorted');
my $functions = 5000;
my $stacks    = 20000;

my @name = map { "example.com/project/package" . $_ % 70 . ".(*Type).method$_" }
    0 .. $functions - 1;
my @path = (0);
my @line;
while (@line < $stacks) {
    my $keep = @path - below(8);
    splice @path, $keep < 1 ? 1 : $keep;
    push @path, ($path[-1] * 3 + 1 + below(3)) % $functions
        for 1 .. 1 + below(@path < 22 ? 9 : 3);
    push @line, join(';', @name[@path]);
}
@line = sort @line;
if ($order eq 'mixed') {
    for my $i (reverse 1 .. $#line) {
        my $j = below($i + 1);
        @line[$i, $j] = @line[$j, $i];
    }
}
my $size = 0;
while ($size < $bytes) {
    for my $line (@line) {
        my $text = $line . ' ' . (1 + below(1000)) . "\n";
        print $text;
        $size += length $text;
    }
}
