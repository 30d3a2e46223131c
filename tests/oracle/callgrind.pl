#!/usr/bin/perl
# callgrind.pl [--all-parts-as-one] [--zero] FILE
# callgrind.pl --totals FILE...
#
# An independent reading of a callgrind or cachegrind file, written from the
# format specification only.  It prints a normal form: one fact per line, fields
# separated by tabs, equal keys summed, lines sorted bytewise.  Two files are
# equivalent if their normal forms are equal.  FILE may be gzipped, - is stdin.
#
#   total EVENT SUM-OF-SELF
#   event EVENT FORMULA LONG-NAME
#   part  N PID THREAD PART CMD             N counts the parts of the file from 1
#   desc  N TEXT
#   self  N OBJ FILE FN ROWFILE LINE ADDR EVENT=VALUE...
#   call  N OBJ FILE FN ROWFILE LINE ADDR -> OBJ FILE FN LINE ADDR COUNT EVENT=VALUE...
#   jump  N OBJ FILE FN ROWFILE LINE ADDR -> OBJ FILE FN ROWFILE LINE ADDR cond|jump EXECUTED FOLLOWED
#
# FILE is the file of the function, ROWFILE the file of the line (fi=, fe=).
# Absent and empty names are "???"; backslash and tab in names become \\ and \t.
# Zero costs are omitted, also self rows with no other costs (--zero keeps
# those). --all-parts-as-one sums the parts: N is 0, no part and desc lines are
# printed. --totals prints lines of FILE, EVENT and SUM-OF-SELF instead, for all
# files by one process.
#
# Where the specification is ambiguous:
# - Blanks after "key=" and "key=(id)" are not part of the name (by the grammar).
# - A name id is valid until it is redefined or the file ends, across parts.
# - A part begins at part:, pid:, thread:, events: or "# callgrind format" after
#   body lines (or if that key was already given for this part); cmd: and desc:
#   directly before it belong to it.  pid, cmd, positions: and events: are
#   inherited from the previous part; ob, fl, fn and positions are reset.
# - The object and the file of a callee are bound at cfn= (cob=/cfi= before it,
#   else the current ones), or by cob=/cfi= after it, and apply to further calls=
#   without cfn=.
# - An unconditional jump has EXECUTED = FOLLOWED = its count.
# - jcnd= is followed/executed, or (the specification's grammar) "executed followed".
# - Negative costs count as 0, fractions are truncated, surplus numbers are dropped.
# - Sums are exact, even above 2^64 - 1.
#
# Dubious lines are reported on stderr; the exit status is 1 if the file cannot
# be read or has costs without events:, else 0.

use strict;
use warnings;
no warnings 'portable';    # hex numbers of 64 bits

my ($one, $zero, $totals) = (0, 0, 0);
while (@ARGV && $ARGV[0] =~ /^--/) {
    my $opt = shift;
    if    ($opt eq '--all-parts-as-one') { $one    = 1 }
    elsif ($opt eq '--zero')             { $zero   = 1 }
    elsif ($opt eq '--totals')           { $totals = $one = 1 }
    else                                 { die "callgrind.pl: unknown option $opt\n" }
}
@ARGV == 1 || $totals && @ARGV
    or die "usage: callgrind.pl [--all-parts-as-one] [--zero] FILE\n";
my ($path, $in);

sub open_file {
    if ($path eq '-') { $in = \*STDIN }
    else {
        open $in, '<:raw', $path or die "$path: $!\n";
        read $in, my $magic, 2;
        if (defined $magic && $magic eq "\x1f\x8b") {
            close $in;
            open $in, '-|', 'gzip', '-dc', $path or die "gzip: $!\n";
        }
        else { seek $in, 0, 0 }
    }
    binmode $in;
}
binmode STDOUT;

my $UNKNOWN = '???';
my $MAX     = 18446744073709551615;
my ($bad, $warned) = (0, 0);

sub note {
    my ($text) = @_;
    print STDERR "$path:$.: $text\n" if ++$warned <= 20;
}

# --- numbers: native unsigned 64 bits, decimal strings beyond -----------------

# Sum of two decimal strings of any length.
sub add_strings {
    my ($x, $y) = map { [reverse split //] } @_;
    my ($carry, @sum) = (0);
    while (@$x || @$y || $carry) {
        my $d = $carry + (shift(@$x) // 0) + (shift(@$y) // 0);
        push @sum, $d % 10;
        $carry = $d > 9 ? 1 : 0;
    }
    return join('', reverse @sum) || 0;
}

# A sum that stays below $MAX is exact in native integers.
sub add {
    my ($x, $y) = @_;
    my $sum = $x + $y;
    return $sum < $MAX ? $sum : add_strings("$x", "$y");
}

# A decimal or hex number, else undef.
sub number {
    my ($text) = @_;
    if ($text =~ /^[0-9]+\z/) {
        return $text + 0 if length $text < 20;
        $text =~ s/^0+(?=.)//;
        return length $text < 20 ? $text + 0 : $text;
    }
    return hex $text if $text =~ /^0[xX][0-9a-fA-F]{1,16}\z/;
    return;
}

sub cost {
    my ($text) = @_;
    my $value = number($text);
    return $value if defined $value;
    if ($text =~ /^-/) { note("negative cost $text taken as 0"); return 0 }
    if ($text =~ /^([0-9]+)\./) { note("fraction in $text cut"); return number($1) }
    note("'$text' is no cost");
    return;
}

# --- state --------------------------------------------------------------------

my (%event, @events);           # all events: name -> [formula, long name]; their order
my (%self, %call, %jump, %total, %count);
my (@parts, $part, %given, @pending, $body);
my (%names);                    # kind -> id -> name
my @columns = ('line');         # what the positions are
my @map;                        # cost column -> index into @events
my ($ob, $fl, $fi, $fn, $fnfile, $cob, $cfi, $cfn, $callee_ob, $callee_fi, $jfi, $jfn);
my %base;                       # last position: line, instr, bb
my $open;                       # a calls=, jump= or jcnd= line that awaits its position line

sub forget_file {
    %$_ = () for \(%event, %self, %call, %jump, %total, %count, %given, %names);
    @$_ = () for \(@events, @parts, @pending, @map);
    @columns = ('line');
    ($part, $body, $warned) = (undef, 0, 0);
}

sub start_part {
    my $before = $part;
    $part = { pid => 0, thread => 0, part => 0, cmd => '', desc => [] };
    @$part{qw(pid cmd)} = @$before{qw(pid cmd)} if $before;
    push @parts, $part;
    ($ob, $fl, $fi, $fn, $fnfile, $cfn) = ($UNKNOWN) x 6;
    ($callee_ob, $callee_fi) = ($UNKNOWN) x 2;
    undef $_ for $cob, $cfi, $jfi, $jfn, $open;
    %base  = (line => 0, instr => 0, bb => 0);
    %given = ();
    $body  = 0;
}

# Keys of header lines that begin a new part.
sub part_key {
    my ($key) = @_;
    start_part() if $body || $given{$key};
    $given{$key} = 1;
    flush_pending();
}

# cmd: and desc: after body lines are kept until the next part begins or not.
sub flush_pending {
    for (splice @pending) {
        my ($key, $value) = @$_;
        if ($key eq 'cmd') { $part->{cmd} = $value }
        else               { push @{ $part->{desc} }, $value }
    }
}

sub event_index {
    my ($name) = @_;
    for my $i (0 .. $#events) { return $i if $events[$i] eq $name }
    push @events, $name;
    $event{$name} ||= ['', ''];
    $total{$name} = 0;
    return $#events;
}

# "Ir+2 Dr" -> "Ir + 2 Dr"; anything else is unchanged.
sub formula {
    my ($text) = @_;
    my ($rest, $out) = ($text, '');
    while ($rest =~ s/^\s*([+-]?)\s*([0-9]*)\s*\*?\s*([^\s+*-]+)\s*//) {
        return $text if $1 eq '' && $out ne '';
        $out .= $out eq '' ? ($1 eq '-' ? '- ' : '') : ($1 eq '-' ? ' - ' : ' + ');
        $out .= ($2 eq '' || $2 == 1 ? '' : "$2 ") . $3;
    }
    return $rest eq '' ? $out : $text;
}

sub escape {
    my ($name) = @_;
    $name =~ s/\\/\\\\/g;
    $name =~ s/\t/\\t/g;
    return $name;
}

# "(id) name", "(id)" or "name".
sub name {
    my ($kind, $text) = @_;
    if ($text =~ /^\(([0-9]+)\)[ \t]*(.*)\z/s) {
        my ($id, $name) = ($1 + 0, $2);
        if ($name ne '') { return $names{$kind}{$id} = escape($name) }
        return $names{$kind}{$id} if defined $names{$kind}{$id};
        note("$kind id ($id) is not defined");
        return $UNKNOWN;
    }
    return $text eq '' ? $UNKNOWN : escape($text);
}

# A position number, which may be relative to the last one.
sub position {
    my ($text, $base) = @_;
    return $base if $text eq '*';
    if ($text =~ /^([+-])(.+)/) {
        my $step = number($2);
        if (!defined $step) { note("'$text' is no position"); return $base }
        if ($1 eq '-') {
            return $base - $step if $step <= $base;
            note("position $text goes below 0");
            return 0;
        }
        return $base + $step if $step <= $MAX - $base;
        note("position $text wraps at 2^64");
        return $step - ($MAX - $base) - 1;
    }
    $text =~ s/(?<=[0-9a-fA-F])[-+:].*//;    # an undocumented range: its start
    my $value = number($text);
    if (!defined $value) { note("'$text' is no position"); return $base }
    return $value;
}

# Takes the positions off the front of @$fields.
sub positions {
    my ($fields) = @_;
    my %at = (line => 0, instr => 0, bb => 0);
    for my $column (@columns) {
        last unless @$fields;
        $at{$column} = position(shift @$fields, $base{$column});
    }
    return \%at;
}

sub sum_costs {
    my ($row, $fields) = @_;
    for my $i (0 .. $#$fields) {
        if ($i > $#map) { note('more costs than events'); last }
        my $value = $fields->[$i];
        $value = cost($value) unless $value =~ /^[0-9]{1,18}\z/;
        last unless defined $value;
        $row->[ $map[$i] ] = add($row->[ $map[$i] ] || 0, $value) if $value;
    }
}

sub cost_line {
    my ($line) = @_;
    if (!@map) { note('costs before events:') unless $bad; $bad = 1; return }
    my @fields = split ' ', $line;
    my $at     = positions(\@fields);
    @base{@columns} = @$at{@columns};
    my $place = join "\t", $one ? 0 : scalar @parts, $ob, $fnfile, $fn, $fi, $at->{line},
        sprintf('0x%x', $at->{instr});
    my $o = $open;
    undef $open;
    if (!$o) { sum_costs($self{$place} ||= [], \@fields) }
    elsif ($o->{kind} eq 'calls') {
        my $key = join "\t", $place, '->', $callee_ob, $callee_fi, $cfn, $o->{line},
            sprintf('0x%x', $o->{instr});
        $count{$key} = add($count{$key} || 0, $o->{count});
        sum_costs($call{$key} ||= [], \@fields);
        undef $cob;
        undef $cfi;
    }
    else {
        note('costs on the line of a jump') if @fields;
        my $file = defined $jfi ? $jfi : $fi;
        my $key  = join "\t", $place, '->', $ob,
            (defined $jfn ? ($file, $jfn) : ($fnfile, $fn)), $file, $o->{line},
            sprintf('0x%x', $o->{instr}), $o->{kind} eq 'jcnd' ? 'cond' : 'jump';
        my $row = $jump{$key} ||= [0, 0];
        $row->[0] = add($row->[0], $o->{count});
        $row->[1] = add($row->[1], $o->{followed});
        undef $jfi;
        undef $jfn;
    }
}

sub open_line {
    my ($kind, $text) = @_;
    note("no cost line after $open->{kind}=") if $open;
    my @fields = split ' ', $text;
    my $first  = shift @fields;
    $first = '' unless defined $first;
    my ($count, $followed);
    if ($kind eq 'jcnd') {
        ($followed, $count) = map { number($_) } $1, $2 if $first =~ m{^([^/]+)/(.+)};
        ($count, $followed) = (number($first), number(shift @fields))
            if !defined $count && @fields == 1 + @columns;
    }
    else { $count = $followed = number($first) }
    if (!defined $count || !defined $followed) {
        note("bad count in $kind=$text");
        $count = $followed = 0;
    }
    my $to = positions(\@fields);
    $open = { kind => $kind, count => $count, followed => $followed, %$to };
}

my %spec = (
    ob => sub { $ob = name('object', $_[0]) },
    fl => sub { $fl = $fi = name('file', $_[0]) },
    fi => sub { $fi = name('file', $_[0]) },
    fe => sub { $fi = name('file', $_[0]) },
    fn => sub { $fn = name('function', $_[0]); $fi = $fnfile = $fl },
    cob => sub { $cob = $callee_ob = name('object', $_[0]) },
    cfi => sub { $cfi = $callee_fi = name('file',   $_[0]) },
    cfn => sub {
        $cfn       = name('function', $_[0]);
        $callee_ob = defined $cob ? $cob : $ob;
        $callee_fi = defined $cfi ? $cfi : $fi;
    },
    jfi    => sub { $jfi = name('file',     $_[0]) },
    jfn    => sub { $jfn = name('function', $_[0]) },
    calls  => sub { open_line('calls', $_[0]) },
    rcalls => sub { open_line('calls', $_[0]) },
    jump   => sub { open_line('jump',  $_[0]) },
    jcnd   => sub { open_line('jcnd',  $_[0]) },
);
$spec{cfl} = $spec{cfi};

sub header {
    my ($key, $value) = @_;
    $value =~ s/\s+\z//;
    if ($key eq 'events') {
        part_key($key);
        @map = map { event_index($_) } split ' ', $value;
    }
    elsif ($key eq 'part' || $key eq 'pid' || $key eq 'thread') {
        part_key($key);
        $part->{$key} = $value;
    }
    elsif ($key eq 'positions') {
        @columns = grep { $value =~ /\b$_\b/ } qw(instr bb line);
    }
    elsif ($key eq 'cmd' || $key eq 'desc') {
        push @pending, [$key, $value];
        flush_pending() unless $body;
    }
    elsif ($key eq 'event') {
        my ($name, $formula, $long) = $value =~ /^([^\s=:]+)\s*(?:=\s*([^:]*?))?\s*(?::\s*(.*))?\z/s
            or return note("bad event: line");
        $event{$name} = [formula(defined $formula ? $formula : ''), defined $long ? $long : ''];
    }
    elsif ($key eq 'totals') { $body = 1 }
    elsif ($key !~ /^(?:version|creator|summary|arch|timeframe.*)\z/) { note("unknown key $key:") }
}

# --- read ---------------------------------------------------------------------

sub read_file {
    open_file();
    start_part();
    while (my $line = <$in>) {
        $line =~ s/\r?\n\z//;
        $line =~ s/^\xef\xbb\xbf// if $. == 1;
        if ($line =~ /^[0-9*+-]/ || $line =~ /^[ \t]+[0-9*+-]/) {
            flush_pending() if @pending;
            $body = 1;
            cost_line($line);
        }
        elsif ($line =~ /^([a-z]+)=[ \t]*(.*)/s && $spec{$1}) {
            flush_pending() if @pending;
            $body = 1;
            $spec{$1}->($2);
        }
        elsif ($line =~ /^([a-z][^:=]*):[ \t]*(.*)/s) { header($1, $2) }
        elsif ($line =~ /^# callgrind format/)          { part_key('magic') }
        elsif ($line =~ /^\s*\z|^#|^==== NEW PROFILING FILE/) { }
        else { note('line not understood') }
    }
    flush_pending();
    if ($path ne '-') { close $in or die "$path: cannot be read to the end\n" }
    note("no cost line after $open->{kind}=") if $open;
}

# --- print --------------------------------------------------------------------

sub costs {
    my ($row) = @_;
    return map { $row->[$_] ? "$events[$_]=$row->[$_]" : () } 0 .. $#events;
}

# Sums the rows to %total.
sub sum_rows {
    for my $row (values %self) {
        for my $i (0 .. $#$row) {
            $total{ $events[$i] } = add($total{ $events[$i] }, $row->[$i]) if $row->[$i];
        }
    }
}

if ($totals) {
    for (@ARGV) {
        $path = $_;
        forget_file();
        read_file();
        sum_rows();
        print map { "$path\t$_\t$total{$_}\n" } sort keys %total;
    }
    exit $bad;
}

$path = $ARGV[0];
read_file();
sum_rows();
my @out;
for my $place (keys %self) {
    my $row   = $self{$place};
    my @costs = costs($row);
    push @out, join "\t", 'self', $place, @costs if @costs || $zero;
}
push @out, map { join "\t", 'call', $_, $count{$_}, costs($call{$_}) } keys %call;
push @out, map { join "\t", 'jump', $_, @{ $jump{$_} } } keys %jump;
push @out, map { "total\t$_\t$total{$_}" } keys %total;
push @out, map { join "\t", 'event', $_, @{ $event{$_} } } keys %event;
for my $n ($one ? () : 1 .. @parts) {
    my $p = $parts[ $n - 1 ];
    push @out, join "\t", 'part', $n, @$p{qw(pid thread part cmd)};
    push @out, "desc\t$n\t$_" for @{ $p->{desc} };
}
print map { "$_\n" } sort @out;
print STDERR "$path: ", $warned - 20, " more notes\n" if $warned > 20;
exit $bad;
