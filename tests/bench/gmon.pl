#!/usr/bin/perl
# gmon.pl PROGRAM ARCS [SHAPE] - prints a gmon.out, as glibc writes it, for an
# executable with functions f0, f1, ...
#
# SHAPE: mixed (calls to later functions, one of 100 to an earlier one),
# any (the same arcs, in any order), callers (all call the last function), cycle
# (each calls the next).
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($program, $arcs, $shape) = (@ARGV, 'mixed');
my ($low, $high, @at) = (~0, 0);

open my $nm, '-|', 'nm', '-n', $program or die "nm: $!\n";
while (<$nm>) {
    my ($addr, undef, $name) = split;
    $low  = hex $addr if $name eq '__executable_start';
    $high = hex $addr if $name eq 'etext';
    $at[$1] = hex $addr if $name =~ /^f(\d+)$/;
}
$low &= ~3;
$high = ($high + 3) & ~3;
my $count = @at;
my $bins  = ((($high - $low) >> 1) + 7 & ~7) >> 1;

my $ticks = "\0" x (2 * $bins);
for (1 .. $count / 2) {
    my $bin = ($at[ below($count) ] + 4 - $low) >> 2;
    substr($ticks, 2 * $bin, 2) = pack 'v', 1 + below(50);
}
binmode STDOUT;
print pack('a4 V x12', 'gmon', 1);
print pack('C Q< Q< V V a15 a', 0, $low, $high, $bins, 100, 'seconds', 's');
print $ticks;

my @arcs;

sub arc {
    my ($from, $to, $calls) = @_;
    # A call site: its bucket of 16 bytes; and just after a prologue.
    my $site = $low + (($at[$from] + 16 - $low) & ~15);
    push @arcs, [$site, $at[$to] + 5, $calls];
}
for my $i (0 .. $arcs - 1) {
    my $from = $i % $count;
    if    ($shape eq 'callers') { arc($from, $count - 1, 1 + $i % 7) }
    elsif ($shape eq 'cycle')   { arc($from, ($from + 1) % $count, 3) }
    elsif ($i % 100 == 99)      { arc($from, below($from + 1), 1) }
    elsif ($from < $count - 1) {
        my $to = $from + 1 + below($count - $from - 1);
        arc($from, $to, 1 + below(1000));
    }
}
# glibc writes its buckets of call sites in ascending order, ld.so in the order
# of first calls.
@arcs = sort { $a->[0] <=> $b->[0] } @arcs;
if ($shape eq 'any') {
    for my $last (reverse 1 .. $#arcs) {
        my $i = below($last + 1);
        @arcs[ $i, $last ] = @arcs[ $last, $i ];
    }
}
print pack('C Q< Q< V', 1, @$_) for @arcs;
