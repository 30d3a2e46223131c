#!/usr/bin/perl
# wide.pl STACKS - prints a file of speedscope, as speedscope itself writes it:
# so many random stacks of 20 to 41 frames, which have hardly a caller in common.
use strict;
use warnings;
use FindBin;
use lib $FindBin::Bin;
use Random;

my ($stacks) = @ARGV;
my $functions = 5000;

print '{"$schema":"https://www.speedscope.app/file-format-schema.json",',
    '"shared":{"frames":[',
    join(',', map { qq({"name":"f$_"}) } 0 .. $functions - 1), ']},',
    '"profiles":[{"type":"sampled","name":"wide","unit":"none",',
    '"startValue":0,"endValue":', $stacks, ',"samples":[';
for my $i (1 .. $stacks) {
    print $i > 1 ? ',[' : '[',
        join(',', map { below($functions) } 1 .. 20 + below(22)), ']';
}
print '],"weights":[', join(',', ('1') x $stacks), "]}]}\n";
