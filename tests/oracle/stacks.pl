#!/usr/bin/perl
# stacks.pl - reads lines "NAME<tab>WORDS<tab>A<tab>B": A and B are files of
# cgconv's JSON, WORDS are facts ("lines, objects") that a format was reported to
# lose on the way from A to B. Prints NAME, WORDS and what else differs of the
# stacks, and exits with 1 if anything does. Stacks that are equal without the
# facts are merged.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->utf8(0)->allow_nonref;
my (%without, @object, @file, @fn, @frame, @labels, @event, %total, %said);
my ($shown, $part, $number); # shown: the event that formats of one event keep

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

sub add {
    my ($tag, @f) = @_;
    if ($tag eq 'event') {
        $event[$f[0]] = join '|', map { $_ // '' } @f[1, 2, 3];
        $shown = $f[0] if $f[1] eq 'ns';
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


# The arrays in a file.
sub records {
    my ($path) = @_;
    open my $in, '<', $path or die "$path: $!\n";
    return [grep { ref eq 'ARRAY' } map { $json->decode($_) } <$in>];
}

# The stacks of records, one per line with its costs.
sub stacks {
    my ($records) = @_;
    (@object, @file, @fn, @frame, @labels, @event, %total, %said) = ();
    $object[0] = $file[0] = $part = '';
    $fn[0] = { text => '' };
    $shown = $number = 0;
    add(@$_) for @$records;
    # pprof always says which event to show.
    return { map { $_ => 1 } grep { !/ says default_sample_type: / } keys %said,
        map { "$_ $total{$_}" } grep { $total{$_} != 0 } keys %total };
}

binmode STDOUT, ':utf8';
my ($path, $first, $failed) = ('');
while (<STDIN>) {
    chomp;
    my ($name, $words, $one, $two) = split /\t/;
    %without = map { $_ => 1 } split /[, ]+/, $words;
    $first = records($one) if $one ne $path;
    $path = $one;
    my ($old, $new) = (stacks($first), stacks(records($two)));
    my @diff = ((map { "-$_" } sort grep { !$new->{$_} } keys %$old),
        map { "+$_" } sort grep { !$old->{$_} } keys %$new);
    next if %$old && !@diff;
    $failed = 1;
    print "$name, but for: $words\n", %$old ? () : "no stacks\n",
        map { "$_\n" } @diff;
}
die "nothing to compare\n" if $path eq '';
exit($failed ? 1 : 0);
