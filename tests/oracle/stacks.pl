#!/usr/bin/perl
# stacks.pl WORDS [FILE] - prints the stacks in cgconv's JSON, sorted, one per
# line with its costs, without the facts in WORDS ("lines, objects"), which an
# intermediate format was reported to lose. Stacks that are equal without these
# facts are merged: files are equivalent if and only if the outputs are equal.
use strict;
use warnings;
use JSON::PP;

my %without = map { $_ => 1 } split /[, ]+/, shift;
my $json = JSON::PP->new->utf8(0)->allow_nonref;
my (@object, @file, @fn, @frame, @labels, @event, %total, %said, $part);
my $shown = 0; # the event that formats of one event keep
$object[0] = $file[0] = $part = '';
$fn[0] = { text => '' };

sub word {
    my ($fact, $key, $value) = @_;
    return '' if $without{$fact} || !defined $value || $value eq '' ||
        $value eq '0';
    return " $key=$value";
}

# A single event that has lost its name is compared by cost only.
sub name_of {
    my ($column) = @_;
    return $without{names} ? '-' : $event[$column];
}

sub add_stack {
    my ($leaf, $samples, $cost, $set) = @_;
    my @path;
    for (my $at = $leaf; $at; $at = $frame[$at]{parent}) {
        unshift @path, $frame[$at]{text};
    }
    my $stack = "$part " . join(';', @path) .
        word('labels', 'with', $set && $labels[$set]);
    return unless grep { $_ != 0 } @$cost;
    for my $i (0 .. $#$cost) {
        next if $cost->[$i] == 0 || ($i != $shown && $without{events});
        $total{"$stack " . name_of($i)} += $cost->[$i];
    }
    $total{"$stack samples"} += $samples 
        unless $without{samples} || $without{calls} || $without{names};
}

my $number = 0;
while (<>) {
    my $record = $json->decode($_);
    next unless ref $record eq 'ARRAY';
    my ($tag, @f) = @$record;
    if ($tag eq 'event') {
        $event[$f[0]] = join '|', map { $_ // '' } @f[1, 2, 3];
    }
    elsif ($tag eq 'formula') { $said{"formula @f[0, 1]"} = 1 unless $without{formulas} }
    elsif ($tag eq 'object') { $object[$f[0]] = $f[1] }
    elsif ($tag eq 'file') { $file[$f[0]] = $f[1] }
    elsif ($tag eq 'function') {
        my ($id, $name, $file, $object, @range) = @f;
        # As in folded stacks.
        if ($without{spelling}) {
            $name =~ s/^\s+|\s+$//g;
            $name =~ tr/;\n\r\t/:   /;
            $name =~ s/ (?=-?[\d.]+$)/_/;
        }
        # Unnamed functions are named after their object if objects are lost.
        $name = "[$1]" if $without{objects} && $name eq '[unknown]' &&
            $object[$object] =~ m{([^/]+)$};
        my $symbol = @range > 5 ? splice(@range, 5, 1) : '';
        $fn[$id] = { text => $name . word('files', 'in', $file[$file]) .
            word('objects', 'of', $object[$object]) .
            word('symbols', 'symbol', $symbol // ''),
            begin => $range[0] // 0 };
        # An inlined function is in the object of its caller.
        $fn[$id]{inlined} = $name . word('files', 'in', $file[$file]) .
            word('symbols', 'symbol', $symbol // '');
        $said{"function $fn[$id]{text} from $fn[$id]{begin}"} = 1
            unless $without{definitions} || !$fn[$id]{begin};
    }
    elsif ($tag eq 'frame') {
        my ($id, $parent, $fn, $file, $line, $addr, $inlined) = @f;
        $frame[$id] = { parent => $parent, text =>
            $fn[$fn]{$inlined ? 'inlined' : 'text'} .
            word('lines', 'at', $line && "$file[$file]:$line") .
            word('instrs', 'addr', $addr) .
            word('inlining', 'inlined', $inlined ? 'yes' : '') };
    }
    elsif ($tag eq 'labels') {
        my ($id, @of) = @f;
        @of = grep { $_->[0] !~ /^(?:comm|pid|tid|thread)$/ } @of if $without{who};
        $labels[$id] = join ',', map { join '=', @$_ } @of;
    }
    elsif ($tag eq 'part') {
        $number++;
        $part = $without{parts} ? '' : "$number:" .
            ($without{descriptions} ? '' : join ',', map { $_ // 0 } @f);
    }
    elsif ($tag eq 'desc') {
        if ($f[0] eq 'default_sample_type') {
            ($shown) = grep { $event[$_] =~ /^\Q$f[1]\E\|/ } 0 .. $#event;
            $shown //= 0;
        }
        $said{"$part says $f[0]: $f[1]"} = 1
            unless $without{descriptions};
    }
    elsif ($tag eq 'call') {
        $said{"$part call @f[3 .. 6]"} = 1 unless $without{calls};
    }
    elsif ($tag eq 'stack') { add_stack(@f) }
}

binmode STDOUT, ':utf8';
print map { "$_\n" } sort(keys %said,
    map { "$_ $total{$_}" } grep { $total{$_} != 0 } keys %total);
