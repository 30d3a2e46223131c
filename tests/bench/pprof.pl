#!/usr/bin/perl
# pprof.pl BYTES - prints a profile.proto of about BYTES bytes, not compressed,
# like a heap profile of Go: four values and a label per sample, strings at the
# end.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($bytes) = @ARGV;
my ($functions, $locations, $contexts) = (6000, 20000, 300000);
# field NUMBER VALUE, bytes NUMBER STRING: pack's w is the other byte order.
my @varint;
sub varint {
	my ($n) = @_;
	return $varint[$n] if $n < 100000 && defined $varint[$n];
	my ($text, $rest) = ('', $n);
	while ($rest > 127) {
		$text .= chr($rest & 127 | 128);
		$rest >>= 7;
	}
	$text .= chr($rest);
	$varint[$n] = $text if $n < 100000;
	return $text;
}
sub number { return chr($_[0] << 3) . varint($_[1]) }
sub bytes { return chr($_[0] << 3 | 2) . varint(length $_[1]) . $_[1] }

my @strings = ('', qw(alloc_objects count alloc_space bytes inuse_objects
    inuse_space /bin/prog));
binmode STDOUT;
print bytes(1, number(1, $_) . number(2, $_ & 1 ? 2 : 4)) for 1, 3, 5, 6;

# Most stacks extend one of the last stacks, at most 48 frames deep.
my (@path, @depth);
for my $i (0 .. $contexts - 1) {
	my $parent = $i == 0 ? -1 : below(10) ? $i - 1 - below($i < 64 ? $i : 64)
	    : below($i);
	$parent = -1 if $parent >= 0 && $depth[$parent] >= 48;
	$depth[$i] = $parent < 0 ? 1 : $depth[$parent] + 1;
	$path[$i] = varint(1 + below($locations)) .
	    ($parent < 0 ? '' : $path[$parent]);
}
for (my $written = 0; $written < $bytes; ) {
	my $count = 1 + below(1000);
	my $sample = bytes(2, bytes(1, $path[below($contexts)]) .
	    bytes(2, varint($count) . varint($count * 64) . varint(1) .
		varint(64)) . bytes(3, number(1, 4) . number(3, 64)));
	print $sample;
	$written += length $sample;
}
print bytes(3, number(1, 1) . number(2, 0x400000) . number(3, 0x2000000) .
    number(5, 7) . number(7, 1));
for my $i (1 .. $locations) {
	my $lines = bytes(4, number(1, 1 + below($functions)) .
	    number(2, 1 + below(2000)));
	$lines .= bytes(4, number(1, 1 + below($functions)) .
	    number(2, 1 + below(2000))) if $i % 5 == 0;
	print bytes(4, number(1, $i) . number(2, 1) .
	    number(3, 0x400000 + $i * 16) . $lines);
}
for my $i (1 .. $functions) {
	push @strings, "github.com/example/package$i.(*Type).Method$i";
	push @strings, "/go/src/github.com/example/package/file$i.go" if $i % 8 == 1;
	print bytes(5, number(1, $i) . number(2, $i % 8 == 1 ? $#strings - 1
	    : $#strings) . number(3, $#strings) . number(4, 8));
}
print bytes(6, $_) for @strings;
print number(9, 1600000000000000000) . number(12, 524288);
