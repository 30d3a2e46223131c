#!/usr/bin/perl
# tests/oracle/lines.pl FILE [NAME] - lists what a tracefile of lcov or a JSON
# report of gcovr counts in the sources called NAME, in the same words for both:
# "line 7 3", "branches 7 0 3", "fn 5 1". A branch that is '-' counts as 0.
use strict;
use warnings;
use JSON::PP;

my ($file, $name) = @ARGV;
my (%line, %branch, %fn, $here, @list);

sub in_name {
	my ($path) = @_;
	return !defined $name || $path =~ m{(^|/)\Q$name\E$};
}

sub read_json {
	my $report = decode_json($_[0]);

	for my $source (grep { in_name($_->{file}) } @{$report->{files}}) {
		for my $row (@{$source->{lines}}) {
			my $at = $row->{line_number};
			next if $row->{'gcovr/noncode'} || $row->{'gcovr/excluded'};
			$line{$at} += $row->{count};
			push @{$branch{$at}}, map { $_->{count} }
				grep { !$_->{'gcovr/excluded'} } @{$row->{branches}};
		}
		push @list, map { "fn $_->{lineno} $_->{execution_count}" }
			grep { !$_->{'gcovr/excluded'} && $_->{lineno} }
			@{$source->{functions} // []};
	}
}

sub read_lcov {
	my %at;

	for (split /\n/, $_[0]) {
		$here = in_name($1) if /^SF:(.*)/;
		next unless $here;
		$line{$1} += $2 if /^DA:(\d+),(\d+)/;
		push @{$branch{$1}}, $2 eq '-' ? 0 : $2
			if /^BRDA:(\d+),.*,(\d+|-)$/;
		$at{$2} = $1 if /^FN:(\d+),(?:\d+,)?(.*)/;
		$at{"index $1"} = $2 if /^FNL:(\d+),(\d+)/;
		push @list, "fn $at{$2} $1" if /^FNDA:(\d+),(.*)/;
		push @list, "fn $at{\"index $1\"} $2" if /^FNA:(\d+),(\d+),/;
	}
}

open my $in, '<', $file or die "$file: $!\n";
my $text = do { local $/; <$in> };
$text =~ /^\s*\{/ ? read_json($text) : read_lcov($text);
push @list, map { "line $_ $line{$_}" } keys %line;
push @list, map { "branches $_ @{[ sort { $a <=> $b } @{$branch{$_}} ]}" }
	grep { @{$branch{$_}} } keys %branch;
print map { "$_\n" } sort @list;
