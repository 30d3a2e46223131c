#!/usr/bin/perl
# speedscope.pl BYTES - prints a file of speedscope of at least BYTES bytes: a
# sampled profile, as py-spy writes it, and an evented one, as speedscope
# itself. 5000 functions, about 20 frames deep, 20000 stacks, of which
# neighbours in time have much in common.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($bytes) = @ARGV;
my $functions = 5000;

# The next stack differs in its last few frames.
my @path = (0);

sub step {
    my $keep = @path - below(8);
    splice @path, $keep < 1 ? 1 : $keep;
    push @path, ($path[-1] * 3 + 1 + below(3)) % $functions
        for 1 .. 1 + below(@path < 15 ? 9 : 3);
}

print '{"$schema":"https://www.speedscope.app/file-format-schema.json",',
    '"profiles":[{"type":"sampled","name":"sampled","unit":"seconds",',
    '"startValue":0,"endValue":1,"samples":[';
my @stack = map { step(); [@path] } 1 .. 20000;
my @text  = map { ',[' . join(',', @$_) . ']' } @stack;
my ($size, $count) = (0, 0);
while ($size < $bytes / 2) {
    my $text = $text[ ($count + below(9)) % 20000 ];
    print $count++ ? $text : substr $text, 1;
    $size += 5 + length $text;
}
print '],"weights":[', join(',', ('0.01') x $count), ']},';
print '{"type":"evented","name":"evented","unit":"milliseconds",',
    '"startValue":0,"endValue":1000000,"events":[';
my ($at, $events, @open) = (0, 0);
while ($size < $bytes) {
    @path = @{ $stack[ ($events + below(9)) % 20000 ] };
    my $same = 0;
    $same++ while $same < @open && $same < @path && $open[$same] == $path[$same];
    $at += 0.125;
    my @text;
    push @text, qq({"type":"C","frame":$_,"at":$at})
        for reverse @open[$same .. $#open];
    push @text, qq({"type":"O","frame":$_,"at":$at})
        for @path[$same .. $#path];
    @open = @path;
    my $text = join ',', @text;
    print ',' if $events++ && @text;
    print $text;
    $size += 1 + length $text;
}
print ',', join ',', map { qq({"type":"C","frame":$_,"at":$at}) } reverse @open;
print ']}],"shared":{"frames":[', join(',', map {
    qq({"name":"module$_.method","file":"lib/module$_.py","line":) . $_ % 900 . '}'
} 0 .. $functions - 1), "]}}\n";
