#!/usr/bin/perl
# tests/oracle/proto.pl <TEXT >MESSAGE - encodes a message of protocol buffers.
#
#	1 { 1: 5 2: -6 }   a message in field 1 with two numbers
#	2: [1 2 3]         packed numbers
#	6: "text"          bytes; \xHH and \n as in perl
#	9 raw: "bytes"     bytes without tag and length
#
# tests/oracle/proto.pl --fields N <MESSAGE - prints each field N of a message in
# hex, one per line.
use strict;
use warnings;

binmode STDIN;
binmode STDOUT;
local $/;
my $text = <STDIN>;

sub varint {
	my ($n) = @_;
	my $bytes = '';
	my $v = unpack('Q', pack('q', $n));
	while ($v > 127) {
		$bytes .= chr($v & 127 | 128);
		$v >>= 7;
	}
	return $bytes . chr($v);
}

sub quoted {
	my ($s) = @_;
	$s =~ s/\\x([0-9a-f]{2})/chr hex $1/gie;
	$s =~ s/\\n/\n/g;
	return $s;
}

sub bytes { return varint($_[0] << 3 | 2) . varint(length $_[1]) . $_[1] }

# Encodes up to the closing brace or the end.
sub message {
	my $out = '';
	while ($text =~ /\G\s*(\d+)/gc) {
		my $field = $1;
		if ($text =~ /\G\s*\{/gc) {
			$out .= bytes($field, message());
			$text =~ /\G\s*\}/gc or die "expected }";
		} elsif ($text =~ /\G\s*raw:\s*"([^"]*)"/gc) {
			$out .= quoted($1);
		} elsif ($text =~ /\G\s*:\s*"([^"]*)"/gc) {
			$out .= bytes($field, quoted($1));
		} elsif ($text =~ /\G\s*:\s*\[([-\d\s]*)\]/gc) {
			$out .= bytes($field, join '', map { varint($_) }
			    split ' ', $1);
		} elsif ($text =~ /\G\s*:\s*(-?\d+)/gc) {
			$out .= varint($field << 3) . varint($1);
		} else {
			die "expected a value of field $field";
		}
	}
	return $out;
}

sub take_varint {
	my ($value, $shift) = (0, 0);
	while ($text =~ /\G(.)/gcs) {
		$value |= (ord($1) & 127) << $shift;
		$shift += 7;
		return $value if ord($1) < 128;
	}
	die "truncated message";
}

if (@ARGV && $ARGV[0] eq '--fields') {
	pos($text) = 0;
	while (pos($text) < length $text) {
		my $tag = take_varint();
		my $value = take_varint();
		if (($tag & 7) == 2) {
			my $bytes = substr $text, pos($text), $value;
			pos($text) += $value;
			$value = unpack 'H*', $bytes;
		}
		print "$value\n" if $tag >> 3 == $ARGV[1];
	}
	exit;
}
my $out = message();
$text =~ /\G\s*$/gc or die "unexpected text: " . substr $text, pos($text) || 0;
print $out;
