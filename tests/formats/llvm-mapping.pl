# llvm-mapping.pl KIND N [nameless]: an executable for x86-64 whose coverage
# mapping has one function with N regions, also in turns, expressions or uses of
# files; or one whose name is not listed.
use strict;
use warnings;
use Digest::MD5 'md5';

my ($kind, $n, $nameless) = (@ARGV, '');

sub leb
{
	my ($value) = @_;
	my $bytes = '';
	for (; $value > 127; $value >>= 7) {
		$bytes .= chr($value & 127 | 128);
	}
	return $bytes . chr $value;
}

sub padded { return $_[0] . "\0" x (-length($_[0]) % 8) }

# A region so many lines below the last one.
sub region { return join '', map { chr } 5, $_[0], 1, 0, 2 }

my $region = region(1);
my %body = (
	uses => sub { leb($n) . "\1" x $n . leb(0) . "\0" x $n },
	expressions => sub { leb(1) . leb(1) . leb($n) . "\0\0" x $n . leb(1) . $region },
	# Every other line, then those between them.
	turns => sub { leb(2) . "\1\1" . leb(0) . join '', map {
			leb($n / 2) . region($_) . region(2) x ($n / 2 - 1) } 1, 2 },
	regions => sub { leb(1) . leb(1) . leb(0) . leb($n) . $region x $n },
);
my $body = $body{$kind}->();
my $files = join '', map { leb(length) . $_ } '/s', 'a.c';
my $unit = leb(2) . leb(length $files) . leb(0) . $files;
my $name = $nameless ? 'g' : 'f';
my %section = (
	__llvm_covmap => padded(pack('L<4', 0, length $unit, 0, 6) . $unit),
	__llvm_covfun => padded(substr(md5('f'), 0, 8) . pack('L<Q<', length $body, 1) .
		substr(md5($unit), 0, 8) . $body),
	__llvm_prf_names => leb(1) . leb(0) . $name,
);
my ($names, $data, $headers) = ("\0", '', "\0" x 64);
for ((sort keys %section), '.shstrtab') {
	my $at = length $names;
	$names .= "$_\0";
	$section{$_} //= $names;
	$headers .= pack 'L<2Q<4L<2Q<2', $at, $_ eq '.shstrtab' ? 3 : 1, 0, 0,
		64 + length $data, length $section{$_}, 0, 0, 8, 0;
	$data .= padded($section{$_});
}
binmode STDOUT;
print "\x7fELF\2\1\1", "\0" x 9, pack('S<2L<Q<3L<S<6', 2, 62, 1, 0, 0,
	64 + length $data, 0, 64, 0, 0, 64, 5, 4), $data, $headers;
