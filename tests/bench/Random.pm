# Random.pm - the same numbers on every machine, for the generators of inputs.
package Random;
use strict;
use warnings;
use Exporter 'import';

our @EXPORT = ('below');
my $seed = 1;

# One of 0 .. $n - 1.
sub below {
    my ($n) = @_;
    $seed = ($seed * 1103515245 + 12345) & 0x7fffffff;
    return int($seed / 0x80000000 * $n);
}

1;
