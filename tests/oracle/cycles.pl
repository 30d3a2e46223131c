#!/usr/bin/perl
# cycles.pl [--split] <FACTS
#
# Inclusive costs of functions and cycles from the normal form that callgrind.pl
# prints, for the first event of a file with one part. Prints a line for each
# function and cycle, sorted, tabs between fields: name, number of its cycle or
# nothing, calls by others, inclusive cost.
#
# - A cycle is a set of two or more functions each of which can reach the others.
#   They are numbered in the order of object, file and name.
# - A cycle costs the self costs of its members and the calls that leave it.
# - A member costs the calls to it by others or, if that is more, its self cost
#   and its calls of others, but no more than the cycle.
# - --split: costs of calls within cycles are unknown, as in gprof. The member
#   with the most calls from outside is the entry, at distance 0. From the
#   farthest member on: each one costs its self cost, its calls that leave the
#   cycle, and shares of the members one call farther away, by counts, rounded
#   down. Shared is what a member costs without the calls from outside. A member
#   costs at least these calls.
use strict;
use warnings;
use bigint;

my $split = @ARGV && shift eq '--split';
my (%self, %call, %count, %reach, %cycle, %calls_in, %cost, %calls, %name);

while (<STDIN>) {
	chomp;
	my @f = split /\t/;
	my $fn = join "\t", @f[2 .. 4] if $f[0] =~ /^(self|call)$/;
	if ($f[0] eq 'self' && $f[8] =~ /=(\d+)/) {
		$self{$fn} += $1;
	} elsif ($f[0] eq 'call') {
		my $to = join "\t", @f[9 .. 11];
		$self{$to} += 0;
		$count{$fn}{$to} += $f[14];
		$call{$fn}{$to} += defined $f[15] && $f[15] =~ /=(\d+)/ ? $1 : 0;
	}
	$self{$fn} += 0 if defined $fn;
}
my @fns = sort keys %self;

for my $fn (@fns) {
	my @todo = keys %{ $call{$fn} };
	while (defined(my $at = pop @todo)) {
		push @todo, keys %{ $call{$at} } unless $reach{$fn}{$at}++;
	}
}

my $cycles = 0;
for my $fn (@fns) {
	my @members = grep { $_ ne $fn && $reach{$fn}{$_} && $reach{$_}{$fn} } @fns;
	next if !@members || $cycle{$fn};
	$cycle{$_} = $cycles + 1 for $fn, @members;
	$cycles++;
}

sub within { return $cycle{$_[0]} && $cycle{$_[0]} == ($cycle{$_[1]} // 0) }
sub members { my ($n) = @_; return grep { ($cycle{$_} // 0) == $n } @fns }

# Sums of calls: of a function, by it, and those that cross its cycle's border.
my (%in, %out, %enters, %leaves, %entered);
for my $from (keys %call) {
	for my $to (grep { $_ ne $from } keys %{ $call{$from} }) {
		my ($cost, $count) = ($call{$from}{$to}, $count{$from}{$to});
		$in{$to} += $cost;
		$out{$from} += $cost;
		$calls_in{$to} += $count;
		next if within($from, $to);
		$leaves{$from} += $cost;
		$enters{$to} += $cost;
		$entered{$to} += $count;
	}
}
$cost{$_} = $self{$_} + ($leaves{$_} // 0) for @fns;

for my $n (1 .. $cycles) {
	my ($most, $calls) = (0, 0);
	for my $fn (members($n)) {
		$most += $cost{$fn};
		$calls += $entered{$fn} // 0;
	}
	pass($n) if $split;
	for my $fn (members($n)) {
		my @of = $split ? ($cost{$fn}, $enters{$fn} // 0)
			: ($in{$fn} // 0, $self{$fn} + ($out{$fn} // 0));
		my $more = $of[0] > $of[1] ? $of[0] : $of[1];
		$cost{$fn} = $more < $most ? $more : $most;
	}
	print join("\t", "<cycle $n>", $n, $calls, $most), "\n";
}
print join("\t", (split /\t/)[2], $cycle{$_} // '', $calls_in{$_} // 0, $cost{$_}), "\n" for @fns;

sub pass
{
	my ($n) = @_;
	my ($entry) = sort { ($entered{$b} // 0) <=> ($entered{$a} // 0) || $a cmp $b } members($n);
	my %far = ($entry => 0);
	my @order = $entry;
	for (my $i = 0; $i < @order; $i++) {
		for my $to (grep { within($entry, $_) && $count{$order[$i]}{$_} } keys %{ $call{$order[$i]} }) {
			next if exists $far{$to};
			$far{$to} = $far{$order[$i]} + 1;
			push @order, $to;
		}
	}
	for my $to (reverse @order) {
		my $rest = $cost{$to} - ($enters{$to} // 0);
		my @from = grep { exists $far{$_} && $far{$_} + 1 == $far{$to} && $count{$_}{$to} } members($n);
		my $sum = 0;
		$sum += $count{$_}{$to} for @from;
		next if $rest <= 0;
		$cost{$_} += $rest * $count{$_}{$to} / $sum for @from;
	}
}
