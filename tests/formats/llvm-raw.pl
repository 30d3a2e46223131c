# llvm-raw.pl KIND FILE: a .profraw of 64 bits and little endian, as other
# machines and compilers would write it. KIND is "big" (32 bits, big endian),
# "bytes" (counters of one byte, where 0 says that the code ran), both of version
# 8; or "11", which makes version 11 of version 10, with two uniform counters.
use strict;
use warnings;
no warnings 'portable';

my ($kind, $file) = @ARGV;
my $bytes = $kind eq 'bytes';
my ($word, $long, $pointer, $size) =
	$bytes ? ('Q<', 'L<', 'Q<', 48) : ('Q>', 'L>', 'L>', 40);

open my $in, '<:raw', $file or die "$file: $!";
my $text = do { local $/; <$in> };
if ($kind eq '11') {
	my @word = unpack 'Q<16', $text;
	my ($ids, $records, $before, $counters, $after, $bits, $behind) =
		@word[2 .. 8];
	my $at = 128 + $ids;
	my $data = $at + 64 * $records;
	my $names = $data + $before + 8 * $counters + $after + $bits + $behind;

	# A record has one more pointer, and distances are from its begin.
	my $list = join '', map {
		my @field = unpack 'q<4a32', substr $text, $at + 64 * $_, 64;
		pack 'q<5a32', @field[0, 1], $field[2] - 8 * $_, 0,
			$field[3] - 8 * $_, $field[4] } 0 .. $records - 1;
	$word[1] += 1;
	splice @word, 9, 0, 2, 0, 0;
	print pack('Q<19', @word), substr($text, 128, $ids), $list,
		substr($text, $data, $names - $data), pack('Q<2', 7, 8),
		substr $text, $names;
	exit;
}
my @head = unpack 'q<11', $text;
my (undef, undef, $ids, $records, $before, $counters, $after, undef, $delta) =
	@head;
my $at = 88 + $ids;
my $data = $at + 48 * $records + $before;
my ($out, $values) = ('', '');
my $count = 0;

for my $i (0 .. $records - 1) {
	my ($name, $hash, $from, undef, undef, $n, $sites) =
		unpack 'q<3q<2L<L<', substr $text, $at + 48 * $i, 48;
	my $offset = $from - ($delta - 48 * $i);
	my @value = unpack "Q<$n", substr $text, $data + $offset, 8 * $n;

	die "sites" if $sites;
	$out .= pack("${word}2", $name & ~0, $hash & ~0);
	$out .= pack($pointer, (1000 - $size * $i +
		$count * ($bytes ? 1 : 8)) & ($bytes ? ~0 : 0xffffffff));
	$out .= pack("${pointer}2${long}2", 0, 0, $n, 0);
	$out .= "\0" x (-length($out) % 8);
	$values .= $bytes ? pack('C*', map { $_ ? 0 : 255 } @value)
			  : pack("$word*", @value);
	$count += $n;
}
$head[0] = 0xff6c70726f665281 unless $bytes; # "lprofR"
$head[1] |= 1 << 60 if $bytes;
$head[4] = 0;
$head[5] = $count;
$head[6] = -length($values) % 8;
$head[8] = 1000;
my $list = substr $text, 88, $ids;
substr $list, 0, 8, pack $word, unpack 'Q<', $list;
print pack("${word}11", @head), $list, $out, $values, "\0" x $head[6],
	substr $text, $data + 8 * $counters + $after;
