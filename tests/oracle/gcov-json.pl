#!/usr/bin/perl
# gcov-json.pl - prints gcov's JSON as sorted lines, equal for equivalent
# documents: objects by key; branches and calls in order if all are of one
# function.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->canonical;

sub flat {
	my ($object, $skip) = @_;
	my %copy = map { $_ => $object->{$_} } grep { $_ ne $skip } keys %$object;
	return $json->encode(\%copy);
}

{
	local $/;
	$json->incr_parse($_) while <>;
}
while (my $unit = $json->incr_parse) {
	my @out;
	for my $file (@{ $unit->{files} }) {
		my $name = $file->{file};
		for my $fn (@{ $file->{functions} }) {
			push @out, "function $name $fn->{name} " . flat($fn, '');
		}
		for my $line (@{ $file->{lines} }) {
			my $at = sprintf '%s:%d', $name, $line->{line_number};
			# Of several functions if block ids do not increase.
			my $ids = $line->{block_ids} || [];
			my $mixed = grep { $ids->[$_ - 1] >= $ids->[$_] }
			    1 .. $#$ids;
			for my $key (qw(block_ids branches calls)) {
				next if !$mixed || !$line->{$key};
				my @sorted = sort { $a cmp $b }
				    map { ref $_ ? $json->encode($_) : $_ }
				    @{ $line->{$key} };
				$line->{$key} = \@sorted;
			}
			push @out, "line $at " . flat($line, '');
		}
	}
	print "unit ", flat($unit, 'files'), "\n";
	print "$_\n" for sort @out;
}
