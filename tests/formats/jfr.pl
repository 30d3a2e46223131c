#!/usr/bin/perl
# jfr.pl KEY=VALUE... - writes a small recording of the Flight Recorder:
#
#   plain=1         numbers are not compressed
#   text=ENCODING   of all texts: 2 (constants), 3 (UTF-8), 4 (chars), 5 (Latin-1)
#   async=1         the frame types of async-profiler
#   old=1           the classes' names of JDK 9
#   chunks=N        N chunks, each with ids of its own
#   state=N size=N pools=N metadata=N major=N frequency=N  of the last header
#   delta=N         of the checkpoint
#   fields=CLASS    a class of the first event's extra field
#   weight=N        the last event's cost
#   name=N          bytes of the name of the first class, besides its own
#   methods=N       more methods of that class, all on the first stack
#   texts=N         constants that are texts, all null
use strict;
use warnings;
use utf8;

my %o = (plain => 0, text => 3, async => 0, old => 0, chunks => 1, state => 0,
    major => 2, frequency => 1000, delta => 0, fields => 'extra',
    weight => 2500, name => 0, methods => 0, texts => 0, map { split /=/, $_, 2 } @ARGV);
my ($base, @pool_texts);

sub num {
    my ($width, $value) = @_;
    return substr pack($value < 0 ? 'q>' : 'Q>', $value), 8 - $width if $o{plain} || $width == 1;
    my $bytes = '';
    $value = unpack 'Q', pack 'q', $value if $value < 0;
    for (1 .. 8) {
        return $bytes . chr $value if $value < 128;
        $bytes .= chr($value & 127 | 128);
        $value >>= 7;
    }
    return $bytes . chr $value;
}
sub int32 { return num(4, $_[0]) }
sub long { return num(8, $_[0]) }

sub text {
    my ($text, $encoding) = @_;
    my $utf8 = $text;
    $encoding //= $o{text};
    return "\0" if !defined $text;
    return "\1" if $text eq '';
    if ($encoding == 2) {
        push @pool_texts, $text;
        return "\2" . long($base + @pool_texts);
    }
    return "\4" . int32(length $text)
        . join '', map { num(2, ord) } split //, $text if $encoding == 4;
    utf8::encode($utf8) if $encoding == 3;
    return chr($encoding) . int32(length $utf8) . $utf8;
}

sub event {
    my ($type, @values) = @_;
    my $rest = join '', long($type), @values;
    my $size = length($rest) + length int32(length($rest) + 4);
    return int32($size) . $rest;
}

# ---- Classes ----------------------------------------------------------------

my $types = $o{old} ? 'com.oracle.jfr.types.' : 'jdk.types.';
my $jdk = $o{old} ? 'com.oracle.jdk.' : 'jdk.';

# NAME => [ID, FIELD CLASS KIND...]; * a constant, + an array
my @classes = (
    boolean => [4], byte => [5], short => [6], char => [7], int => [8],
    long => [9], float => [10], double => [11], 'java.lang.String' => [12],
    'java.lang.Thread' => [20, 'osName java.lang.String', 'osThreadId long',
        'javaName java.lang.String', 'javaThreadId long'],
    'java.lang.Class' => [21, 'loader int', "name ${types}Symbol *"],
    "${types}Symbol" => [22, 'string java.lang.String'],
    "${types}Method" => [23, 'type java.lang.Class *',
        "name ${types}Symbol *", "descriptor ${types}Symbol *",
        'modifiers int', 'hidden boolean'],
    "${types}StackTrace" => [24, 'truncated boolean',
        "frames ${types}StackFrame +"],
    "${types}StackFrame" => [25, "method ${types}Method *",
        'lineNumber int', 'bytecodeIndex int', "type ${types}FrameType *"],
    "${types}FrameType" => [26, 'description java.lang.String'],
    "${types}ThreadState" => [27, 'name java.lang.String'],
    extra => [30, 'a float', 'b double', 'c char', 'd short',
        'e java.lang.String', 'f long +', "g ${types}Symbol *+",
        'h nested +'],
    nested => [31, 'a int', 'b java.lang.String'],
    loop => [32, 'a loop'],
    empty => [33],
    "${jdk}ExecutionSample" => [100, "e $o{fields}", 'startTime long',
        'sampledThread java.lang.Thread *', "stackTrace ${types}StackTrace *",
        "state ${types}ThreadState *"],
    "${jdk}ThreadPark" => [101, 'startTime long', 'duration long',
        'eventThread java.lang.Thread *', "stackTrace ${types}StackTrace *",
        'parkedClass java.lang.Class *'],
    'profiler.Free' => [102, 'startTime long'],
    "${jdk}JVMInformation" => [103, 'startTime long',
        'jvmName java.lang.String', 'javaArguments java.lang.String',
        'pid long'],
    'my.Event' => [104, 'startTime long'],
);

sub metadata {
    my (@strings, %index);
    my $string = sub {
        push @strings, $_[0] and $index{$_[0]} = $#strings
            if !defined $index{$_[0]};
        return int32($index{$_[0]});
    };
    my $element = sub {
        my ($name, $attributes, @children) = @_;
        return join '', $string->($name), int32(@$attributes / 2),
            map({ $string->($_) } @$attributes), int32(scalar @children),
            @children;
    };
    my %class = @classes;
    my @children;
    for (my $i = 0; $i < @classes; $i += 2) {
        my ($id, @fields) = @{$classes[$i + 1]};
        push @children, $element->('class',
            [name => $classes[$i], id => $id, superType => 'x'],
            map {
                my ($name, $of, $kind) = split;
                $element->('field', [name => $name,
                    class => $class{$of} ? $class{$of}[0] : 999,
                    ($kind // '') =~ /\*/ ? (constantPool => 'true') : (),
                    ($kind // '') =~ /\+/ ? (dimension => '1') : ()],
                    $element->('annotation', [class => 40]))
            } @fields);
    }
    my $tree = $element->('root', [],
        $element->('metadata', [], @children),
        $element->('region', [locale => 'en_US']));
    # No constants: they are read later.
    my $encoding = $o{text} == 2 ? 3 : $o{text};
    return event(0, long(0), long(0), long(1), int32(scalar @strings),
        map({ text($_, $encoding) } @strings), $tree);
}

# ---- Constants --------------------------------------------------------------

sub pool {
    my ($type, @values) = @_;
    my $key = $base;
    return long($type) . int32(scalar @values)
        . join '', map { long(++$key) . $_ } @values;
}

sub key { return long($base + $_[0]) }

sub frame {
    my ($method, $line, $type) = @_;
    return key($method) . int32($line) . int32(7) . long($type);
}

sub method {
    my ($class, $name, $descriptor) = @_;
    return ($class ? key($class) : long(0)) . key($name)
        . ($descriptor ? key($descriptor) : long(0)) . int32(1) . "\0";
}

sub frame_types {
    my @names = ('Interpreted', 'JIT compiled', 'Inlined', 'Native',
        $o{async} ? ('C++', 'Kernel') : ());
    return long(26) . int32(scalar @names)
        . join '', map { long($_) . text($names[$_]) } 0 .. $#names;
}

sub checkpoint {
    my @stacks = (
        # work(int), inlined into work(String), called by main
        "\0" . int32(3 + $o{methods}) . frame(1, 11, 2) . frame(2, 22, 1)
            . frame(3, 33, 0) . join('', map { frame(5 + $_, 0, 0) } 1 .. $o{methods}),
        # the same without the root
        "\1" . int32(1) . frame(1, 11, 0),
        # native code below Java's
        "\0" . int32(3) . frame(4, 0, 5) . frame(5, 4294967295, 3)
            . frame(3, 34, 0),
    );
    my @pools = (
        frame_types(),
        pool(27, text('STATE_RUNNABLE')),
        pool(20, text('os') . long(71) . text('größe') . long(1),
            text('VM Thread') . long(72) . text(undef) . long(0),
            text('') . long(0) . text('') . long(5)),
        pool(24, @stacks),
        pool(23, method(1, 3, 4), method(1, 3, 5), method(1, 6, 7),
            method(0, 8, 0), method(9, 8, 0), (method(1, 3, 4)) x $o{methods}),
        pool(21, int32(0) . key(1), int32(0) . key(2), (int32(0) . key(10)) x 7),
        pool(22, map { text($_) } 'pkg/Prüfung' . 'x' x $o{name}, '[[Lpkg/Lock;', 'work', '(I)V',
            '(Ljava/lang/String;)V', 'main', '()V', '_ZN1a1bEv', 'x', 'libc.so'),
    );
    push @pools, long(12) . int32($o{texts})
        . join '', map { long($_ * 1000) . "\0" } 1 .. $o{texts} if $o{texts};
    if (@pool_texts) {
        my @texts = @pool_texts;
        push @pools, pool(12, map { text($_, 3) } @texts);
    }
    return event(1, long(0), long(0), long($o{delta}), "\1",
        int32(scalar @pools), @pools);
}

# ---- Events -----------------------------------------------------------------

sub extra {
    return '' if $o{fields} ne 'extra';
    return 'ffff' . 'dddddddd' . num(2, 300) . num(2, 5) . text('skipped')
        . int32(2) . long(1) . long(1 << 40) . int32(1) . key(1)
        . int32(2) . (int32(9) . text('deep')) x 2;
}

sub events {
    my $stack = $o{async} ? 3 : 1;
    return event(100, extra(), long(1000), key(1), key($stack), key(1))
        . event(104, 'anything at all')
        . event(100, extra(), long(3000), key(2), key(1), key(1))
        . event(100, extra(), long(2000), key(1), key(2), key(1))
        . event(100, extra(), long(2500), key(3), long(0), long(0))
        . event(101, long(500), long($o{weight}), key(1), key(1), key(2))
        . event(102, long(9))
        . event(999, 'of no class')
        . event(103, long(0), text('Test VM'), text('pkg.Main größe'),
            long(4242));
}

sub chunk {
    my ($last) = @_;
    my @body = (metadata(), events(), checkpoint());
    my %at = (metadata => 68, pools => 68 + length($body[0] . $body[1]),
        size => 68 + length join '', @body);
    %at = (%at, %o) if $last;
    return "FLR\0" . pack('n2 Q>7 C n C', $last ? $o{major} : 2, 1, $at{size},
        $at{pools}, $at{metadata}, 1700000000000000000, 5000000000, 1000,
        $o{frequency}, $last ? $o{state} : 0, 0, $o{plain} ? 0 : 1)
        . join '', @body;
}

binmode STDOUT;
for (1 .. $o{chunks}) {
    $base = ($_ - 1) * (1 << 40);
    @pool_texts = ();
    print chunk($_ == $o{chunks});
}
