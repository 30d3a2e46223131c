#!/usr/bin/perl
# gcov.pl FILE...
#
# Prints coverage in a normal form, one source line or function per line,
# sorted, to compare the output of cgconv with that of gcov and llvm-cov:
#
#	line FILE LINE COUNT [U] [BRANCH...]	U: has an unexecuted block
#	fn FILE NAME FIRST LAST BLOCKS EXECUTED ENTRIES
#
# A branch is its count, "f" for falling through, "t" for throwing. FILE is
# cgconv's JSON, gcov's (--json-format -b), or text of llvm-cov gcov -b -c,
# which has no marks and no functions here.  Entries of gcov's JSON for several
# functions of a line are summed.

use strict;
use warnings;
use JSON::PP;

my (%line, %fn);

sub at { $line{"$_[0] $_[1]"} //= { count => 0, branch => [] } }

sub read_cgconv {
	my ($text) = @_;
	my (%file, %name, %blocks, %entries, $now);

	for (split /\n/, $text) {
		my $row = decode_json($_);
		next if ref $row eq 'HASH';
		my ($tag, @f) = @$row;

		if ($tag eq 'file') {
			$file{$f[0]} = $f[2] || $f[1];
		} elsif ($tag eq 'function') {
			$name{$f[0]} = [$file{$f[2]} // '', $f[9] || $f[1],
			    $f[4] // 0, $f[5] // 0];
		} elsif ($tag eq 'rows') {
			$now = $f[0];
		} elsif ($tag eq 'call' && !$now) {
			$entries{$f[3]} += $f[6];
		} elsif ($tag eq 'cost') {
			at($file{$f[0]}, $f[1])->{count} += $f[3][0] // 0;
		} elsif ($tag eq 'branch') {
			my ($file, $no, undef, $kind, $block, $index, $count,
			    $flags) = @f;

			$flags //= '';
			$blocks{$now}{$block} = $count if $kind eq 'block';
			at($file{$file}, $no)->{unexecuted} = 1
			    if $kind eq 'block' && $no && !$count &&
			    $flags !~ /x/;
			push @{at($file{$file}, $no)->{branch}}, $count .
			    join('', $flags =~ /[ft]/g) if $kind eq 'arc';
		}
	}
	for my $id (keys %blocks) {
		my @ids = sort { $a <=> $b } keys %{$blocks{$id}};
		my $ran = grep { $_ && $_ < $ids[-1] && $blocks{$id}{$_} } @ids;
		my ($file, $name, @range) = @{$name{$id}};

		$fn{"$file $name @range"} = ($ids[-1] - 1) . " $ran " .
		    ($entries{$id} // 0);
	}
}

sub read_gcov {
	for my $file (@{decode_json($_[0])->{files}}) {
		for my $l (@{$file->{lines}}) {
			my $at = at($file->{file}, $l->{line_number});

			$at->{count} += $l->{count};
			$at->{unexecuted} = 1 if $l->{unexecuted_block};
			push @{$at->{branch}}, map { $_->{count} .
			    ($_->{fallthrough} ? 'f' : '') .
			    ($_->{throw} ? 't' : '') } @{$l->{branches}};
		}
		for my $f (@{$file->{functions}}) {
			$fn{"$file->{file} $f->{name} $f->{start_line} " .
			    "$f->{end_line}"} = "$f->{blocks} " .
			    "$f->{blocks_executed} $f->{execution_count}";
		}
	}
}

sub read_llvm {
	my ($file, $at);

	for (split /\n/, $_[0]) {
		if (/^\s*-:\s+0:Source:(.*)/) {
			$file = $1;
		} elsif (/^\s*([#\d]+):\s*(\d+):/) {
			$at = at($file, $2);
			$at->{count} += $1 =~ /#/ ? 0 : $1;
		} elsif (/^branch +\d+ (?:taken (\d+)|never)/) {
			push @{$at->{branch}}, $1 // 0;
		}
	}
}

for my $name (@ARGV) {
	local $/;
	open my $in, '<', $name or die "$name: $!\n";
	my $text = <$in>;

	if ($text =~ /^\{"cgconv"/) {
		read_cgconv($text);
	} elsif ($text =~ /^\{/) {
		read_gcov($text);
	} else {
		read_llvm($text);
	}
}
for (keys %line) {
	my $l = $line{$_};

	print join(' ', 'line', $_, $l->{count}, $l->{unexecuted} ? 'U' : (),
	    sort @{$l->{branch}}), "\n" if defined $l;
}
print "fn $_ $fn{$_}\n" for keys %fn;
