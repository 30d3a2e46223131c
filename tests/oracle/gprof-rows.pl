#!/usr/bin/perl
# gprof-rows.pl [-v] [--zero] GPROF-TEXT CALLGRIND
#
# Compares the tables printed by GNU gprof (gprof -b, also with -p, -q, -z) with
# a callgrind file converted from the same gmon.out (event "ns", else the first).
# Prints every differing row and "N rows agree, M differ"; exit status 1 if any
# differ, 2 if nothing could be compared.  -v also prints the agreeing rows.
#
# The arithmetic.  self(f) is the cost of f's own lines; an arc p -> f is the sum
# of p's call lines to f: a count and an inclusive cost.
# - calls(f) = counts of all arcs into f except f -> f; those are printed "+m".
# - The functions of a strongly connected component of two or more (arcs f -> f
#   aside) are a cycle.  calls(cycle) = arcs into it from outside, its "+m" = arcs
#   between its members, self(cycle) = sum of its members' self.
# - children(f) = cost of f's arcs to other functions, except those within f's
#   cycle; children(cycle) = sum over its members.
# - Let T be f or f's cycle.  The self share of an arc p -> f is
#   count / calls(T) * self(T), the children share is the rest of the arc's cost,
#   and it is printed count/calls(T).  Arcs within a cycle and f -> f are printed
#   with their count only; their cost is not compared.
# - "(<spontaneous>)" is a root that the conversion added; it is skipped.  gprof
#   prints "<spontaneous>" for a function without recorded callers.
# - A cycle without callers has no "as a whole" row.
# Times are printed with two digits, so 0.005 s of difference is rounding.
#
# Functions without time and calls may be missing from the callgrind file; all-zero
# rows that gprof -z prints for them are counted (--zero: they must exist).
# Functions with the same name are matched by the numbers in their rows.

use strict;
use warnings;

my ($verbose, $zero) = (0, 0);
while (@ARGV && $ARGV[0] =~ /^-/) {
    my $opt = shift;
    if    ($opt eq '-v')     { $verbose = 1 }
    elsif ($opt eq '--zero') { $zero    = 1 }
    else                     { die "gprof-rows.pl: unknown option $opt\n" }
}
@ARGV == 2 or die "usage: gprof-rows.pl [-v] [--zero] GPROF-TEXT CALLGRIND\n";
my ($textfile, $cgfile) = @ARGV;

my $ROOT  = '(<spontaneous>)';
my $ROUND = 0.005001;

# --- the callgrind file, by its normal form -------------------------------------

my (%node, %byname);    # key -> { name, self, in => {key => arc}, out => {key => arc} }

sub node {
    my ($ob, $file, $name) = @_;
    my $key = "$ob\t$file\t$name";
    return $node{$key} if $node{$key};
    my $n = { key => $key, name => $name, self => 0, in => {}, out => {} };
    push @{ $byname{$name} }, $n;
    return $node{$key} = $n;
}

sub read_callgrind {
    my ($dir) = $0 =~ m{^(.*/)};
    $dir = './' unless defined $dir;
    open my $in, '-|', $^X, "${dir}callgrind.pl", '--all-parts-as-one', '--zero', $cgfile
        or die "callgrind.pl: $!\n";
    my @lines = <$in>;
    close $in or die "$cgfile: cannot be read\n";
    chomp @lines;
    my ($event) = grep { $_ eq 'ns' } map { /^event\t([^\t]+)/ ? $1 : () } @lines;
    ($event) = map { /^total\t([^\t]+)/ ? $1 : () } @lines unless defined $event;
    defined $event or die "$cgfile: no event\n";
    for (@lines) {
        my ($kind, @f) = split /\t/;
        my ($cost) = map { /^\Q$event\E=([0-9]+)\z/ ? $1 / 1e9 : () } @f;
        $cost = 0 unless defined $cost;
        if ($kind eq 'self') {
            next if $f[3] eq $ROOT;
            node(@f[1, 2, 3])->{self} += $cost;
        }
        elsif ($kind eq 'call') {
            my $to = node(@f[8, 9, 10]);
            next if $f[3] eq $ROOT || $f[13] == 0;
            my $from = node(@f[1, 2, 3]);
            my $arc  = $from->{out}{ $to->{key} } ||= { from => $from, to => $to };
            $arc->{count} += $f[13];
            $arc->{cost}  += $cost;
            $to->{in}{ $from->{key} } = $arc;
        }
    }
}

# Strongly connected components (Tarjan, without recursion).
sub find_cycles {
    my (@cycles, @stack, %index, %low, %on);
    my $next = 0;
    for my $start (sort keys %node) {
        next if defined $index{$start};
        my @work = ([$start]);
        while (@work) {
            my $w = $work[-1];
            my $k = $w->[0];
            if (!$w->[1]) {
                $index{$k} = $low{$k} = $next++;
                push @stack, $k;
                $on{$k} = 1;
                $w->[1] = [keys %{ $node{$k}{out} }];
            }
            my $to = pop @{ $w->[1] };
            if (defined $to) {
                if    (!defined $index{$to}) { push @work, [$to] }
                elsif ($on{$to} && $index{$to} < $low{$k}) { $low{$k} = $index{$to} }
                next;
            }
            pop @work;
            if (@work && $low{$k} < $low{ $work[-1][0] }) { $low{ $work[-1][0] } = $low{$k} }
            next if $low{$k} != $index{$k};
            my @members;
            do { push @members, pop @stack; $on{ $members[-1] } = 0 } while $members[-1] ne $k;
            push @cycles, { members => [map { $node{$_} } @members] } if @members > 1;
        }
    }
    return @cycles;
}

my @cycles;

sub model {
    read_callgrind();
    @cycles = find_cycles();
    for my $c (@cycles) {
        $_->{cycle} = $c for @{ $c->{members} };
        $c->{$_} = 0 for qw(self children calls more);
    }
    for my $n (values %node) {
        $n->{$_} = 0 for qw(calls more children);
        for my $arc (values %{ $n->{in} }) {
            if ($arc->{from} == $n) { $arc->{own} = 1; $n->{more} = $arc->{count}; next }
            $n->{calls} += $arc->{count};
            my $c = $n->{cycle} or next;
            my $inner = $arc->{from}{cycle} && $arc->{from}{cycle} == $c;
            $arc->{own} = 1 if $inner;
            $c->{ $inner ? 'more' : 'calls' } += $arc->{count};
        }
    }
    for my $n (values %node) {
        $_->{own} or $n->{children} += $_->{cost} for values %{ $n->{out} };
        if (my $c = $n->{cycle}) {
            $c->{self}     += $n->{self};
            $c->{children} += $n->{children};
        }
    }
}

# --- gprof's text ---------------------------------------------------------------

my (@flat, @blocks);

# "name <cycle 2> [10]" -> name, 2
sub split_name {
    my ($text) = @_;
    $text =~ s/ (?:\[[0-9]+\]|\([0-9]+\))\s*\z//;
    my $cycle = $text =~ s/ <cycle ([0-9]+)>\z// ? $1 : 0;
    return ($text, $cycle);
}

my $num = qr/-?(?:[0-9]+\.[0-9]+|nan|inf)/;

sub read_text {
    open my $in, '<', $textfile or die "$textfile: $!\n";
    my ($section, $table, $block) = ('', 0);
    while (my $line = <$in>) {
        chomp $line;
        $line =~ s/\f//g;
        if ($line =~ /^Flat profile:/)           { ($section, $table) = ('flat',  0); next }
        if ($line =~ /^\s*Call graph/)           { ($section, $table) = ('graph', 0); next }
        if ($line =~ /^Index by function name/)  { ($section, $table) = ('',      0); next }
        if ($line =~ /^ time\s+seconds\s/ || $line =~ /^index % time/) { $table = 1; next }
        next if !$table || $line =~ /^\s*\z/;
        if ($section eq 'flat') {
            if ($line =~ /^\s*$num\s+$num\s+($num) {29}(.*)/) {
                push @flat, { line => $line, self => $1, calls => 0, name => $2 };
            }
            elsif ($line =~ /^\s*$num\s+$num\s+($num)\s+([0-9]+)\s+$num\s+$num  (.*)/) {
                push @flat, { line => $line, self => $1, calls => $2, name => $3 };
            }
            else { $table = 0 }    # the explanation without -b
            next;
        }
        if ($line =~ /^ {1,9}\S/) { $table = 0; next }    # the explanation
        if ($line =~ /^---/) { undef $block; next }
        $block or push @blocks, $block = { up => [], down => [] };
        my $row = { line => $line };
        if ($line =~ s/^\[([0-9]+)\]?\s+$num\s+($num)\s+($num)\s+//) {
            @$row{qw(self children)} = ($2, $3);
            @$row{qw(calls more)} = $line =~ s/^([0-9]+)(?:\+([0-9]+))?\s+// ? ($1, $2 || 0) : (0, 0);
            $row->{whole} = $line =~ /^<cycle [0-9]+ as a whole>/ ? 1 : 0;
            @$row{qw(name cycle)} = split_name($line);
            $block->{main} = $row;
            next;
        }
        if ($line =~ /^\s+<spontaneous>/) { $row->{spontaneous} = 1 }
        elsif ($line =~ m{^\s+($num)\s+($num)\s+([0-9]+)/([0-9]+)\s+(.*)}) {
            @$row{qw(self children count total)} = ($1, $2, $3, $4);
            @$row{qw(name cycle)} = split_name($5);
        }
        elsif ($line =~ /^\s+($num)\s+($num)\s+([0-9]+)(?:\+([0-9]+))?\s+(.*)/) {    # member
            @$row{qw(self children calls more)} = ($1, $2, $3, $4 || 0);
            @$row{qw(name cycle)} = split_name($5);
        }
        elsif ($line =~ /^\s+([0-9]+)\s+(.*)/) {
            $row->{count} = $1;
            @$row{qw(name cycle)} = split_name($2);
        }
        else { warn "$textfile:$.: row not understood\n"; next }
        next if defined $row->{count} && $row->{count} == 0;    # static arcs of -c
        push @{ $block->{ $block->{main} ? 'down' : 'up' } }, $row;
    }
    close $in;
    @blocks = grep { $_->{main} } @blocks;
}

# --- compare --------------------------------------------------------------------

my ($agree, $differ, $skipped) = (0, 0, 0);

sub report {
    my ($what, $row, $ours) = @_;
    if (!defined $ours) {
        $agree++;
        print "agrees:  $row->{line}\n" if $verbose;
        return;
    }
    $differ++;
    print "differs: $what\n  gprof:     ", defined $row ? $row->{line} : 'no such row', "\n",
        "  callgrind: $ours\n";
}

# True if a printed time equals $time, a sum of $terms costs rounded to ns.
sub same_time {
    my ($printed, $time, $terms) = @_;
    return 1 if $printed =~ /n/ && $time == 0;
    return 0 if $printed =~ /n/;
    return abs($printed - $time) <= $ROUND + 1e-9 * ($terms || 0);
}

sub all_zero {
    my ($row) = @_;
    return $row->{self} !~ /[1-9]/ && ($row->{children} || 0) !~ /[1-9]/
        && !$row->{calls} && !$row->{more};
}

# The expected row of an arc in the block of either end.
sub arc_row {
    my ($arc, $end) = @_;
    my %row = (name => $end->{name}, cycle => $end->{cycle} ? 1 : 0, count => $arc->{count});
    return \%row if $arc->{own};
    my $target = $arc->{to}{cycle} || $arc->{to};
    $row{total}    = $target->{calls};
    $row{self}     = $arc->{count} / $target->{calls} * $target->{self};
    $row{children} = $arc->{cost} - $row{self};
    return \%row;
}

sub node_row {
    my ($n) = @_;
    my %row = map { $_ => $n->{$_} } qw(name self children calls more);
    $row{cycle} = $n->{cycle} ? 1 : 0;
    $row{terms} = keys %{ $n->{out} };
    return \%row;
}

sub show {
    my ($r) = @_;
    my $times = defined $r->{self} ? sprintf '%.6f %.6f ', $r->{self}, $r->{children} : '';
    my $calls = defined $r->{calls} ? $r->{calls} . ($r->{more} ? "+$r->{more}" : '')
        : $r->{count} . (defined $r->{total} ? "/$r->{total}" : '');
    return "$times$calls $r->{name}" . ($r->{cycle} ? ' <cycle>' : '');
}

sub same_row {
    my ($row, $ours) = @_;
    return 0 if $row->{spontaneous} || $row->{name} ne $ours->{name} && !$row->{whole};
    return 0 if !$row->{whole} && !$row->{cycle} != !$ours->{cycle};
    for (qw(count total calls more)) {
        return 0 if defined $row->{$_} != defined $ours->{$_};
        return 0 if defined $row->{$_} && $row->{$_} != $ours->{$_};
    }
    for (qw(self children)) {
        return 0 if defined $row->{$_} != defined $ours->{$_};
        return 0 if defined $row->{$_} && !same_time($row->{$_}, $ours->{$_}, $ours->{terms});
    }
    return 1;
}

# Sorted by time, first fit finds a complete match if one exists.
sub by_time {
    my @time = map { defined $_->{self} && $_->{self} !~ /n/ ? $_->{self} : 0 } @_;
    return @_[sort { $time[$a] <=> $time[$b] || $a <=> $b } 0 .. $#_];
}

# Matches two multisets of rows; returns a list of [row, ours, same].
sub pair_rows {
    my ($rows, $ours) = @_;
    my (%ours, @pairs, @left);
    push @{ $ours{ $_->{name} } }, $_ for by_time(@$ours);
    for my $row (by_time(@$rows)) {
        my $list = $ours{ $row->{name} } || [];
        my ($hit) = grep { same_row($row, $list->[$_]) } 0 .. $#$list;
        if (defined $hit) { push @pairs, [$row, splice(@$list, $hit, 1), 1] }
        else              { push @left, $row }
    }
    push @pairs, [$_, shift @{ $ours{ $_->{name} } || [] }, 0] for @left;
    push @pairs, map { [undef, $_, 0] } map { @{ $ours{$_} } } sort keys %ours;
    return @pairs;
}

# Compares all rows of a block with a function or cycle.
sub pair_block {
    my ($block, $n) = @_;
    my $main = $block->{main};
    my ($ours, @pairs, @up, @down);
    if ($main->{whole}) {
        $ours = { name => 'cycle as a whole', map { $_ => $n->{$_} } qw(self children calls more) };
        $ours->{terms} = map { keys %{ $_->{out} } } @{ $n->{members} };
        @down = map { node_row($_) } @{ $n->{members} };
    }
    else {
        $ours = node_row($n);
        @up   = map { arc_row($_, $_->{from}) } @{ $n->{in} }{ sort keys %{ $n->{in} } };
        @down = map { arc_row($_, $_->{to}) } @{ $n->{out} }{ sort keys %{ $n->{out} } };
    }
    push @pairs, [$main, $ours, same_row($main, $ours)];
    my @spontaneous = grep { $_->{spontaneous} } @{ $block->{up} };
    push @pairs, map { [$_, { name => 'has callers', count => scalar @up }, !@up] } @spontaneous;
    push @pairs, pair_rows([grep { !$_->{spontaneous} } @{ $block->{up} }], \@up);
    push @pairs, pair_rows($block->{down}, \@down);
    return @pairs;
}

# Assigns each block the function (or cycle) of its name with fewest differences.
sub compare_blocks {
    my ($what, $blocks, $nodes) = @_;
    my @try;
    for my $b (0 .. $#$blocks) {
        for my $n (0 .. $#$nodes) {
            my @pairs = pair_block($blocks->[$b], $nodes->[$n]);
            push @try, [$b, $n, \@pairs, scalar grep { !$_->[2] } @pairs];
        }
    }
    my (%did, %used);
    for my $t (sort { $a->[3] <=> $b->[3] || $a->[0] <=> $b->[0] } @try) {
        my ($b, $n, $pairs) = @$t;
        next if $did{$b} || $used{$n};
        $did{$b} = $used{$n} = 1;
        report("$what, block of $blocks->[$b]{main}{name}", $_->[0],
            $_->[2] ? undef : $_->[1] ? show($_->[1]) : 'no such row')
            for @$pairs;
    }
    for my $b (grep { !$did{$_} } 0 .. $#$blocks) {
        my $main = $blocks->[$b]{main};
        if (!$zero && all_zero($main)) { $skipped++; next }
        report($what, $_, 'no such function') for $main, @{ $blocks->[$b]{up} }, @{ $blocks->[$b]{down} };
    }
    for my $n (grep { !$used{$_} } 0 .. $#$nodes) {
        my $ours = $nodes->[$n];
        next if !$ours->{calls} && ($ours->{members} || !$ours->{more} && $ours->{self} + $ours->{children} == 0);
        report($what, undef, show({ name => 'cycle as a whole', %$ours }));
    }
}

sub compare_flat {
    my %rows;
    push @{ $rows{ $_->{name} } }, $_ for @flat;
    for my $name (sort keys %{ { %rows, %byname } }) {
        my @ours = by_time(@{ $byname{$name} || [] });
        my @left;
        for my $row (by_time(@{ $rows{$name} || [] })) {
            my ($hit) = grep {
                $ours[$_]{calls} == $row->{calls} && same_time($row->{self}, $ours[$_]{self})
            } 0 .. $#ours;
            if (defined $hit) { splice @ours, $hit, 1; report('flat', $row) }
            else              { push @left, $row }
        }
        for my $row (@left) {
            my $n = shift @ours;
            if (!$n && !$zero && all_zero($row)) { $skipped++; next }
            report('flat', $row, $n ? sprintf('%.6f %d %s', @$n{qw(self calls name)}) : 'no such function');
        }
        report('flat', undef, sprintf '%.6f %d %s', @$_{qw(self calls name)})
            for grep { $_->{self} || $_->{calls} } @ours;
    }
}

sub compare_graph {
    my %blocks;
    $_->{main}{whole} or push @{ $blocks{ $_->{main}{name} } }, $_ for @blocks;
    compare_blocks('graph', $blocks{$_} || [], $byname{$_} || [])
        for sort keys %{ { %blocks, %byname } };
    compare_blocks('cycles', [grep { $_->{main}{whole} } @blocks], \@cycles);
}

read_text();
@flat || @blocks or print("$textfile: no table of gprof found\n"), exit 2;
model();
compare_flat()  if @flat;
compare_graph() if @blocks;
print "$skipped all-zero rows have no function\n" if $skipped;
print "$agree rows agree, $differ differ\n";
exit($differ ? 1 : 0);
