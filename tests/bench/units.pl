#!/usr/bin/perl
# units.pl DIRECTORY COPIES [notes] - makes a project of COPIES units in C++ and
# COPIES units in C, with the notes and data of gcc --coverage.
#
# Only two units are compiled and run. Copies have other names and, for
# functions with other names, other idents; functions of headers are the same in
# all copies, as in real projects. notes: without sources.
use strict;
use warnings;

my ($directory, $copies, $notes) = (@ARGV, '');
chdir $directory or die "$directory: $!\n";

sub write_file {
    my ($path, @text) = @_;
    open my $out, '>:raw', $path or die "$path: $!\n";
    print $out @text or die "$path: $!\n";
    close $out or die "$path: $!\n";
}

sub read_file {
    my ($path) = @_;
    open my $in, '<:raw', $path or die "$path: $!\n";
    local $/;
    return scalar <$in>;
}

# ---- Two units --------------------------------------------------------------

# Classes with containers of their own: most functions are of templates.
sub make_cpp {
    my $text = <<'EOF';
#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace u000 {

EOF
    for my $i (1 .. 3) {
        my $classes = <<'EOF';
struct itemNUMBER {
	int key;
	std::string name;
	bool operator<(const itemNUMBER &other) const
	{
		return key != other.key ? key < other.key : name < other.name;
	}
};

class storeNUMBER {
	std::map<int, itemNUMBER> by_key;
	std::vector<std::shared_ptr<itemNUMBER>> all;
	std::function<bool(const itemNUMBER &)> wanted;

      public:
	storeNUMBER() : wanted([](const itemNUMBER &item) { return item.key % NUMBER == 0; })
	{
	}
	void add(int key, const std::string &name)
	{
		auto item = std::make_shared<itemNUMBER>(itemNUMBER{ key, name });

		if (!wanted(*item))
			return;
		by_key.insert({ key, *item });
		all.push_back(item);
	}
	std::set<itemNUMBER> sorted() const
	{
		std::set<itemNUMBER> set;

		for (const auto &item : all) {
			if (item->key < 0 || item->name.empty())
				throw item->key;
			set.insert(*item);
		}
		return set;
	}
	std::string text() const
	{
		std::ostringstream out;

		for (const auto &pair : by_key)
			out << pair.first << (pair.first & 1 ? ' ' : '\n')
			    << pair.second.name;
		return out.str();
	}
};

static int
tryNUMBER(int rounds)
{
	storeNUMBER store;
	int sum = 0;

	for (int i = 0; i < rounds; i++)
		store.add(i * 7 % 31, std::to_string(i));
	try {
		for (const auto &item : store.sorted())
			sum += item.key;
	} catch (int key) {
		sum = key;
	}
	return sum + (int)store.text().size();
}

EOF
        $classes =~ s/NUMBER/$i/g;
        $text .= $classes;
    }
    $text .= <<'EOF';
static int
try_common(int rounds)
{
	std::map<int, std::string> names;
	std::vector<std::string> words;
	int sum = 0;

	for (int i = 0; i < rounds; i++)
		names[i * 5 % 17] = std::to_string(i);
	for (const auto &pair : names)
		words.push_back(pair.second);
	std::sort(words.begin(), words.end());
	for (const auto &word : words)
		sum += std::regex_match(word, std::regex("[0-9]+|(a|b)*c"));
	return sum;
}

EOF
    $text .= "} // namespace u000\n\nextern \"C\" int\nrun_u000(int rounds)\n{"
        . "\n\tint sum = 0;\n\n";
    $text .= "\tsum += u000::try$_(rounds);\n" for 1 .. 3, '_common';
    return "$text\treturn sum;\n}\n";
}

# Functions with loops, branches and switches.
sub make_c {
    my $text = '';

    for my $i (0 .. 99) {
        my $odd  = $i % 7;
        my $body = <<"EOF" x 4;
	for (left = n; left > 0 && sum < 100000;) {
		if (text[left % 4] == 'a' + $odd || left % 3 == 0)
			sum += left * $odd;
		else if (sum & 1)
			sum -= left / 2;
		left--;
	}
EOF
        $text .= $i % 5 ? "static int\n" : "int\n";
        $text .= <<"EOF";
c000_f$i(int n, const char *text)
{
	int sum = $i, left = n;

$body	switch (sum % 6) {
	case 0: return sum;
	case 1: sum++; break;
	case 2: sum += n > $i ? n : $i;
	/* fall through */
	case 3: sum *= 2; break;
	default:
		for (int i = 0; i < 3; i++)
			sum ^= i && n ? n << i : 1;
	}
	return sum;
}

EOF
    }
    $text .= "int\nrun_c000(int rounds)\n{\n\tint sum = 0;\n\n";
    $text .= "\tsum += c000_f$_(rounds + $_, \"abcd\");\n" for 0 .. 99;
    return "$text\treturn sum;\n}\n";
}

sub run {
    system(@_) == 0 or die "@_ failed\n";
}

# Returns the names of those that could be compiled, without their numbers.
sub make_units {
    my @kinds = system('g++ --version >/dev/null 2>&1') ? 'c' : ('u', 'c');
    my %text = (u => make_cpp(), c => make_c());

    write_file('main.c', "#include <stdlib.h>\n",
        (map { "int run_${_}000(int);\n" } @kinds),
        "int main(int n, char **arg)\n{\n\tint rounds = atoi(arg[n - 1]);\n\n",
        (map { "\trun_${_}000(rounds);\n" } @kinds), "\treturn 0;\n}\n");
    for my $kind (@kinds) {
        my ($file, $compiler) = $kind eq 'u' ? ('u000.cpp', 'g++')
                                             : ('c000.c', 'gcc');
        write_file($file, $text{$kind});
        run($compiler, qw(-O0 --coverage -w -c -o), "${kind}000.o", $file);
    }
    run(qw(gcc -c main.c));
    run(@kinds > 1 ? 'g++' : 'gcc', qw(--coverage -o main main.o),
        map { "${_}000.o" } @kinds);
    run('./main', '40');
    unlink 'main', 'main.c', 'main.o', map { "${_}000.o" } @kinds;
    return @kinds;
}

# ---- Copies -----------------------------------------------------------------

# The offset of each function's ident; the name follows, if there is one.
sub find_idents {
    my ($bytes) = @_;
    my $version = reverse substr $bytes, 4, 4;
    my $exact   = $version ge 'B20'; # gcc 12: lengths are in bytes
    my $notes   = substr($bytes, 0, 4) eq 'oncg';
    my ($at, @found) = $exact ? 16 : 12;

    if ($notes) { # the directory and the word after it
        my $length = unpack 'V', substr $bytes, $at, 4;
        $at += 8 + ($exact ? $length : 4 * $length);
    }
    while ($at + 8 <= length $bytes) {
        my ($tag, $length) = unpack 'VV', substr $bytes, $at, 8;
        my $ident = $at + 8;

        last if $tag == 0;
        # A negative length: that many counters are zero and omitted.
        $length = 0 if ($tag >> 24 & 0x40) == 0 && $length >> 31;
        $length *= 4 unless $exact;
        push @found, [ $ident, substr $bytes, $ident, $length ]
            if $tag == 0x01000000 && $length > 0;
        $at += 8 + $length;
    }
    return @found;
}

sub renumber {
    my ($bytes, $name, $number) = @_;
    my $new = sprintf '%s%03d', substr($name, 0, 1), $number;

    $bytes =~ s/$name/$new/g;
    return $bytes;
}

for my $kind (make_units()) {
    my $name = "${kind}000";
    my ($gcno, $gcda) = map { read_file("$name.$_") } qw(gcno gcda);
    my ($file) = grep { -e } "$name.cpp", "$name.c";
    my $source = read_file($file);
    my %own;
    my @idents = grep { $_->[1] =~ /$name[^.]/ } find_idents($gcno);

    my %taken = map { (substr $_->[1], 0, 4) => 1 } find_idents($gcno);

    $own{ substr $_->[1], 0, 4 } = 1 for @idents;
    my @in_data = grep { $own{ substr $_->[1], 0, 4 } } find_idents($gcda);
    for my $copy (1 .. $copies - 1) {
        my ($new_notes, $new_data) = ($gcno, $gcda);
        my $to = renumber($name, $name, $copy);
        my (%new, %used);

        for my $old (sort keys %own) {
            my $ident = unpack('V', $old) + $copy * 7919;
            my $packed;

            do {
                $packed = pack 'V', $ident++ & 0x7fffffff;
            } while $taken{$packed} || $used{$packed}++;
            $new{$old} = $packed;
        }

        for ([ \$new_notes, \@idents ], [ \$new_data, \@in_data ]) {
            my ($bytes, $places) = @$_;
            for my $place (@$places) {
                substr $$bytes, $place->[0], 4,
                    $new{ substr $place->[1], 0, 4 };
            }
        }
        write_file("$to.gcno", renumber($new_notes, $name, $copy));
        write_file("$to.gcda", $new_data);
        write_file(renumber($file, $name, $copy),
            renumber($source, $name, $copy))
            unless $notes;
    }
}
