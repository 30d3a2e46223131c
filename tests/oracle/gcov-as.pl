#!/usr/bin/perl
# gcov-as.pl VERSION ORDER IN OUT [NAME]
#
# Writes what gcc 12 wrote (IN.gcno, IN.gcda) as a compiler of that VERSION
# ("407*") would have, in that byte ORDER (le, be), to OUT.gcno and OUT.gcda.
# With NAME, OUT is a stream of one data file of that name, without notes.
# Made after gcov-io.h of gcc 3.4 to 16: there are no such compilers here.

use strict;
use warnings;

my ($version, $order, $in, $out, $stream) = @ARGV;
my ($major, $minor) = $version =~ /^([A-Z])(\d)(\d)/ ?
    (10 * (ord($1) - 65) + $2, $3) : $version =~ /^(\d)(\d\d)/ ? ($1, $2) : die;
my $v = $major * 100 + $minor;
my $word = $order eq 'be' ? 'N' : 'V';

sub slurp { local $/; open my $f, '<:raw', $_[0] or die "$_[0]: $!\n"; <$f> }
sub spit { open my $f, '>:raw', $_[0] or die "$_[0]: $!\n"; print $f $_[1] }

# ---- What gcc 12 wrote, in its order of this machine ----

my $bytes;
sub u32 { unpack 'V', substr $bytes, 0, 4, '' }
sub text { my $n = u32(); my $t = substr $bytes, 0, $n, ''; $t =~ s/\0.*//s; $t }

# ---- What another one writes ----

sub w { join '', map { pack $word, $_ & 0xffffffff } @_ }
sub str {
	my ($t) = @_;

	return $v >= 1200 ? w(length($t) + 1) . "$t\0" :
	    w(int(length($t) / 4) + 1) . $t . "\0" x (4 - length($t) % 4);
}
sub record {
	my ($tag, $data) = @_;

	return w($tag, $v >= 1200 ? length $data : length($data) / 4) . $data;
}
sub magic { my $m = shift; $order eq 'be' ? $m . $version :
    reverse($m) . reverse($version) }

# ---- Notes ----

my ($stamp, $exit, %counters);

sub block {
	my ($n) = @_;

	return $n if $v >= 408;
	return $n == 1 ? $exit : $n > 1 ? $n - 1 : 0;
}

sub notes {
	$bytes = slurp("$in.gcno");
	(undef, undef, $stamp) = (u32(), u32(), u32());
	my (undef, $cwd, $unexecuted) = (u32(), text(), u32());
	my $to = magic('gcno') . w($stamp);

	$to .= w(0) if $v >= 1200;
	$to .= str($cwd) if $v >= 900;
	$to .= w($unexecuted) if $v >= 800;
	my $ident;
	while (length $bytes) {
		my ($tag, $n) = (u32(), u32());
		my $rest = substr $bytes, $n;
		my $data;

		$bytes = substr $bytes, 0, $n;
		if ($tag == 0x01000000) {
			$ident = u32();
			my ($line, $cfg, $name, $artificial, $src, @place) =
			    (u32(), u32(), text(), u32(), text(), u32(), u32(),
			    u32(), u32());
			$data = w($ident, $line) . ($v >= 407 ? w($cfg) : '') .
			    str($name) . ($v >= 800 ? w($artificial) : '') .
			    str($src) . w($v >= 900 ? @place : $v >= 800 ?
			    @place[0 .. 2] : $place[0]);
		} elsif ($tag == 0x01410000) {
			$exit = u32() - 1;
			$data = w($v >= 800 ? $exit + 1 : (0) x ($exit + 1));
		} elsif ($tag == 0x01430000) {
			$data = w(block(u32()));
			while (length $bytes) {
				my ($dst, $flags) = (u32(), u32());
				$data .= w(block($dst), $flags);
				$counters{$ident}++ unless $flags & 1;
			}
		} else {
			$data = w(block(u32()));
			while (length $bytes) {
				my $line = u32();
				$data .= w($line);
				next if $line;
				my $file = text();
				$data .= $file eq '' ? w(0) : str($file);
			}
		}
		$to .= record($tag, $data);
		$bytes = $rest;
	}
	return $to;
}

# ---- Data ----

# Runs are the third word but since 9; 4.8 to 8 add an empty histogram.
sub summaries {
	my ($runs) = @_;
	my @old = (0, 0, $runs, (0) x 6);

	return $v >= 900 ? record(0xa1000000, w($runs, 0)) :
	    $v >= 408 ? record(0xa3000000, w(@old, (0) x 8)) :
	    $v >= 407 ? record(0xa3000000, w(@old)) :
	    record(0xa1000000, w(@old)) . record(0xa3000000, w(@old));
}

sub data {
	$bytes = slurp("$in.gcda");
	my @head = (u32(), u32(), u32(), u32(), u32(), u32(), u32(), u32());
	my $to = magic('gcda') . w($stamp);
	my $ident;

	$to .= w($head[3]) if $v >= 1200;
	$to .= summaries($head[6]) if $v >= 407 && !$stream;
	while (length $bytes) {
		my ($tag, $n) = (u32(), u32());

		last if $tag == 0;
		if ($tag == 0x01000000) {
			my ($line, $cfg);
			($ident, $line, $cfg) = (u32(), u32(), u32());
			$to .= record($tag,
			    w($ident, $line, $v >= 407 ? $cfg : ()));
		} elsif ($n >= 1 << 31) {
			my $c = (2 ** 32 - $n) / 8;
			$to .= $v >= 1200 ? w($tag, -8 * $c) : $v >= 1100 ?
			    w($tag, -2 * $c) : record($tag, w((0) x (2 * $c)));
		} else {
			$to .= record($tag, w(map { u32() } 1 .. $n / 4));
		}
	}
	$to .= summaries($head[6]) if $v < 407;
	return $to . ($v >= 400 ? w(0) : '');
}

my $notes = notes();
if ($stream) {
	spit($out, magic('gcfn') . str($stream) . data());
} else {
	spit("$out.gcno", $notes);
	spit("$out.gcda", data());
}
