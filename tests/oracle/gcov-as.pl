#!/usr/bin/perl
# gcov-as.pl VERSION ORDER IN OUT [NAME]
#
# Rewrites notes and data of gcc 12 (IN.gcno, IN.gcda) as a compiler of VERSION
# ("407*") would write them, in byte ORDER (le, be), to OUT.gcno and OUT.gcda.
# With NAME, OUT is a stream of one data file of that name, without notes.
#
# VERSION may also be a format from before 3.4: 3.2 and 3.3 (.bbg, .bb, .da),
# 303p (records, as vendors had them) and 304e (as proposed in 2002: .bbg, .da).
#
# Sources: gcov-io.h of gcc 3.4 to 16; for older formats libgcc2.c and profile.c
# of 3.3, ggcov and the proposal of 2002-08-13 on the gcc mailing list. They
# were not compared with output of those compilers.

use strict;
use warnings;

my ($version, $order, $in, $out, $stream) = @ARGV;
my $v = $version =~ /^([A-Z])(\d)(\d)/ ? 1000 * (ord($1) - 65) + 100 * $2 + $3 :
    $version =~ /^(\d)(\d\d)/ ? 100 * $1 + $2 : 0;
my $word = $order eq 'be' ? 'N' : 'V';

sub slurp { local $/; open my $f, '<:raw', $_[0] or die "$_[0]: $!\n"; <$f> }
sub spit { open my $f, '>:raw', $_[0] or die "$_[0]: $!\n"; print $f $_[1] }

# ---- Reading files of gcc 12, in native byte order ----

my $bytes;
sub u32 { unpack 'V', substr $bytes, 0, 4, '' }
sub u64 { my $l = u32(); $l + (u32() << 32) }
sub text { my $n = u32(); my $t = substr $bytes, 0, $n, ''; $t =~ s/\0.*//s; $t }

my (@fn, %fn, $stamp, $checksum, $cwd, $unexecuted, $runs, @data);

sub read_notes {
	$bytes = slurp("$in.gcno");
	(undef, undef, $stamp) = (u32(), u32(), u32());
	(undef, $cwd, $unexecuted) = (u32(), text(), u32());
	while (length $bytes) {
		my ($tag, $n) = (u32(), u32());
		my $rest = substr $bytes, $n;

		$bytes = substr $bytes, 0, $n;
		if ($tag == 0x01000000) {
			push @fn, { ident => u32(), sums => [u32(), u32()],
			    name => text(), artificial => u32(), src => text(),
			    place => [u32(), u32(), u32(), u32()],
			    arcs => [], lines => [], counters => 0 };
			$fn{$fn[-1]{ident}} = $fn[-1];
		} elsif ($tag == 0x01410000) {
			$fn[-1]{blocks} = u32();
		} elsif ($tag == 0x01430000) {
			my @arcs = (u32());
			while (length $bytes) {
				push @arcs, [u32(), u32()];
				$fn[-1]{counters}++ unless $arcs[-1][1] & 1;
			}
			push @{$fn[-1]{arcs}}, \@arcs;
		} else {
			my @lines = (u32());
			while (length $bytes) {
				my $line = u32();
				push @lines, $line || text();
			}
			pop @lines; # an empty name ends them
			push @{$fn[-1]{lines}}, \@lines;
		}
		$bytes = $rest;
	}
}

# Functions in @data, their counters undef if all are zero.
sub read_data {
	$bytes = slurp("$in.gcda");
	(undef, undef, undef, $checksum, undef, undef, $runs) =
	    (u32(), u32(), u32(), u32(), u32(), u32(), u32());
	u32();
	while (length $bytes) {
		my ($tag, $n) = (u32(), u32());

		last if $tag == 0;
		if ($tag == 0x01000000) {
			push @data, { ident => u32() };
			(u32(), u32());
		} elsif ($n < 1 << 31) {
			$data[-1]{counts} = [map { u64() } 1 .. $n / 8];
		}
	}
	$_->{counts} //= undef for @data;
}

sub counts { my $d = shift; $d->{counts} ?
    @{$d->{counts}} : (0) x $fn{$d->{ident}}{counters} }

# ---- Writing formats of 3.4 and later ----

sub w { join '', map { pack $word, $_ & 0xffffffff } @_ }
sub w64 { w(map { ($_, $_ >> 32) } @_) }
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

# Up to 4.7 the exit is the last block.
sub block {
	my ($fn, $n) = @_;

	return $n if $v >= 408;
	return $n == 1 ? $fn->{blocks} - 1 : $n > 1 ? $n - 1 : 0;
}

sub lines {
	my ($fn, $lines) = @_;
	my ($to, @lines) = (w(block($fn, $lines->[0])), @$lines);

	shift @lines;
	$to .= /\D/ ? w(0) . str($_) : w($_) for @lines;
	return $to . w(0, 0);
}

sub notes {
	my $to = magic('gcno') . w($stamp);

	$to .= w(0) if $v >= 1200;
	$to .= str($cwd) if $v >= 900;
	$to .= w($unexecuted) if $v >= 800;
	for my $f (@fn) {
		my $n = $f->{blocks};

		$to .= record(0x01000000, w($f->{ident}, $v >= 407 ?
		    @{$f->{sums}} : $f->{sums}[0]) . str($f->{name}) .
		    ($v >= 800 ? w($f->{artificial}) : '') . str($f->{src}) .
		    w(@{$f->{place}}[0 .. ($v >= 900 ? 3 : $v >= 800 ? 2 : 0)])
		    );
		$to .= record(0x01410000, w($v >= 800 ? $n : (0) x $n));
		for my $a (@{$f->{arcs}}) {
			my ($src, @arcs) = @$a;

			$to .= record(0x01430000, w(block($f, $src), map {
			    (block($f, $_->[0]), $_->[1]) } @arcs));
		}
		$to .= record(0x01450000, lines($f, $_)) for @{$f->{lines}};
	}
	return $to;
}

# The number of runs is the third word, from 9 on the first; 4.8 to 8 add an
# empty histogram.
sub summaries {
	my @old = (0, 0, $runs, (0) x 6);

	return $v >= 900 ? record(0xa1000000, w($runs, 0)) :
	    $v >= 408 ? record(0xa3000000, w(@old, (0) x 8)) :
	    $v >= 407 ? record(0xa3000000, w(@old)) :
	    record(0xa1000000, w(@old)) . record(0xa3000000, w(@old));
}

sub data {
	my $to = magic('gcda') . w($stamp);

	$to .= w($checksum) if $v >= 1200;
	$to .= summaries() if $v >= 407 && !$stream;
	for my $d (@data) {
		my $f = $fn{$d->{ident}};

		$to .= record(0x01000000, w($d->{ident}, $v >= 407 ?
		    @{$f->{sums}} : $f->{sums}[0]));
		$to .= $d->{counts} || $v < 1100 ?
		    record(0x01a10000, w64(counts($d))) :
		    w(0x01a10000, -$f->{counters} * ($v >= 1200 ? 8 : 2));
	}
	$to .= summaries() if $v < 407;
	return $to . ($v >= 400 ? w(0) : '');
}

# ---- Writing formats before 3.4: numbers with a sign bit ----

sub i32 { join '', map { pack 'V', $_ < 0 ? -$_ | 1 << 31 : $_ } @_ }
sub i64 { join '', map { pack 'Q<', $_ < 0 ? -$_ | 1 << 63 : $_ } @_ }
sub pad { my $t = shift; $t . "\0" x (4 - length($t) % 4) }
sub named { i32(-1, length $_[0]) . pad($_[0]) . i32(-1) }

# The arcs or lines of each block, in the old order of blocks.
sub by_block {
	my ($f, $what) = @_;
	my @by = map { [] } 1 .. $f->{blocks};

	for (@{$f->{$what}}) {
		my ($src, @rest) = @$_;
		$by[block($f, $src)] = \@rest;
	}
	return @by;
}

sub old_graph {
	my $to = '';

	for my $f (@fn) {
		my @arcs = by_block($f, 'arcs');

		$arcs[-1] = [[0, 1]]; # from the exit to the entry
		$to .= named($f->{name}) . i32($f->{sums}[0] >> 1)
		    if $version eq '3.3';
		my $n = 0;
		$n += @$_ for @arcs;
		$to .= i32($f->{blocks}, $n);
		$to .= i32(scalar @$_, map { (block($f, $_->[0]),
		    $_->[1] & 7) } @$_) for @arcs;
		$to .= i32(-1);
	}
	return $to;
}

sub old_lines {
	my $to = '';

	for my $f (@fn) {
		my @lines = by_block($f, 'lines');

		$to .= i32(-2) . pad($f->{name}) . i32(-2);
		shift @lines; # the entry's
		for (@lines) {
			$to .= i32(0);
			$to .= /\D/ ? i32(-1) . pad($_) . i32(-1) : i32($_)
			    for @$_;
		}
	}
	return $to;
}

sub old_data {
	my @all = map { counts($_) } @data;
	my $to = i32(-123, scalar @data, 40) . ("\0" x 40);

	return i64(scalar @all, @all) if $version eq '3.2';
	for my $d (@data) {
		my @counts = counts($d);

		$to .= named($fn{$d->{ident}}{name}) .
		    i32($fn{$d->{ident}}{sums}[0] >> 1, scalar @counts) .
		    i64(@counts);
	}
	return $to;
}

# ---- Writing 303p and 304e: other tags, functions by name ----

my $rfc = $version eq '304e';
my @tags = $rfc ? (1 .. 6) : (0x01000000, 0x01410000, 0x01430000, 0x01450000,
    0x01a10000, 0xa1000000);

sub words { pack(($rfc ? 'V*' : 'N*'), @_) }
sub longs { pack(($rfc ? 'Q<*' : 'Q>*'), @_) }
sub name { words(length $_[0]) . pad($_[0]) }
sub early { my ($tag, $data) = @_; words($tags[$tag], length $data) . $data }

sub early_notes {
	my $to = "gbbg$version";

	for my $f (@fn) {
		my @arcs = by_block($f, 'arcs');
		my @lines = by_block($f, 'lines');

		$to .= early(0, name($f->{name}) . words($f->{sums}[0]));
		$to .= early(1, words((0) x $f->{blocks}));
		for my $i (0 .. $#arcs) {
			$to .= early(2, words($rfc ? () : $i) . join '', map {
			    words(block($f, $_->[0]), $_->[1] & 7) }
			    @{$arcs[$i]});
		}
		for my $i (0 .. $#lines) {
			$to .= early(3, words($rfc ? () : $i) . join('', map {
			    /\D/ ? words(0) . name($_) : words($_) }
			    @{$lines[$i]}) . words(0, 0));
		}
	}
	return $to;
}

sub early_data {
	my $to = "gcov$version";

	for my $d (@data) {
		my $f = $fn{$d->{ident}};

		$to .= early(0, name($f->{name}) . words($f->{sums}[0]));
		$to .= early(4, longs(counts($d)));
	}
	return $to . early(5, words(0, 0, 0));
}

read_notes();
read_data();
if ($version =~ /^30[34]/ && $version ne '304*') {
	$v = 0;
	spit("$out.bbg", early_notes());
	spit("$out.da", early_data());
} elsif ($version =~ /^3\./) {
	spit("$out.bbg", old_graph());
	spit("$out.bb", old_lines());
	spit("$out.da", old_data());
} elsif ($stream) {
	spit($out, magic('gcfn') . str($stream) . data());
} else {
	spit("$out.gcno", notes());
	spit("$out.gcda", data());
}
