#!/usr/bin/perl
# html.pl - prints what is in an HTML report, one row a line, tabs between
# fields: an independent reader of formats/html/html.h, also of the data files of
# --split. With --check, checks the
# page around the data instead: the hashes of its policy, that nothing is
# loaded, that the data ends where it should.
use strict;
use warnings;
use Compress::Zlib qw(memGunzip crc32);
use Digest::SHA qw(sha256_base64);
use MIME::Base64 qw(decode_base64);

my $check = @ARGV && $ARGV[0] eq '--check' ? shift : '';
local $/;
open my $in, '<:raw', $ARGV[0] or die "$ARGV[0]: $!\n";
my $page = <$in>;
my ($data, $script) = $page =~ m{<script type="application/octet-stream" id="data">([A-Za-z0-9+/=]*)</script>\n<script>(.*)</script>\n</body>\n</html>\n\z}s
	or die "the page has another structure\n";
my ($style) = $page =~ m{<style>(.*?)</style>}s;
check() if $check;

# The browser's limit of exact numbers is 2^53; perl's integers have 64 bits.
my ($blob, $at, %value);
read_columns($data);
read_data_file($_) for 0 .. $#{ col('data_name') };
print_all();

sub read_data_file
{
	my ($i) = @_;
	my $name = col('data_name')->[$i];
	my $path = $ARGV[0] =~ s/\.[^.\/]*$//r . ".$name.js";
	open my $file, '<:raw', $path or die "$path: $!\n";
	my ($text, $id) = <$file> =~ m{^cgconvData\("$name","([A-Za-z0-9+/=]*)",(\d+)\);\n\z}
		or die "$path has another structure\n";
	$id == col('data_id')->[$i] && $id == crc32(decode_base64($text))
		or die "$path has another number\n";
	read_columns($text);
}

sub read_columns
{
	($blob, $at) = (memGunzip(decode_base64($_[0])) // '', 0);
	while ($at < length $blob) {
		my $length = ord substr $blob, $at++, 1;
		my $name = substr $blob, $at, $length;
		$at += $length;
		my $index = varint();
		my $type = substr $blob, $at++, 1;
		my ($count, $size) = (varint(), varint());
		my $end = $at + $size;
		die "$name:$index comes twice\n" if $value{$name}[$index];
		$value{$name}[$index] = values_of($type, $count);
		die "$name:$index has another size\n" if $at != $end;
	}
}

sub varint
{
	my ($value, $shift, $byte) = (0, 0);
	do {
		$byte = ord substr $blob, $at++, 1;
		$value |= ($byte & 127) << $shift;
		$shift += 7;
	} while $byte & 128;
	return $value;
}

sub zigzag
{
	my $value = varint();
	return $value & 1 ? -($value >> 1) - 1 : $value >> 1;
}

sub values_of
{
	my ($type, $count) = @_;
	my $last = 0;
	if ($type eq 'x') {
		my @length = map { varint() } 1 .. $count;
		return [map { $at += $_; substr $blob, $at - $_, $_ } @length];
	}
	return [map { varint() } 1 .. $count] if $type =~ /[nc]/;
	return [map { zigzag() } 1 .. $count] if $type eq 's';
	return [map { $last += zigzag() } 1 .. $count] if $type =~ /[dt]/;
	die "unknown type $type\n";
}

sub col { return $value{$_[0]}[$_[1] || 0] || [] }

sub costs
{
	my ($name, $row) = @_;
	return map { col($name, $_)->[$row] } 0 .. $#{ col('event_name') };
}

sub row
{
	my @field = map { s/\\/\\\\/gr =~ s/\n/\\n/gr =~ s/\t/\\t/gr } map { $_ // '' } @_;
	print join("\t", @field), "\n";
}

sub path { return $_[0] ? col('file_path')->[$_[0] - 1] : '' }
sub object { return $_[0] ? col('object_path')->[$_[0] - 1] : '' }
sub fn { return col('fn_name')->[$_[0]] // '(dropped)' }

sub print_nodes
{
	my @open;
	my ($depth, $fn) = (col('node_depth'), col('node_fn'));
	for my $i (0 .. $#$depth) {
		$open[$depth->[$i]] = $i ? fn($fn->[$i]) : ();
		$#open = $depth->[$i];
		my @self = costs('node_self', $i);
		row('node', join(';', grep { defined } @open[1 .. $#open]), @self)
			if grep { $_ } @self;
	}
}

sub print_sums
{
	my $branch = 0;
	for my $i (0 .. $#{ col('sum_file') }) {
		my ($arcs, $terms) = (col('sum_branches')->[$i], col('sum_conditions')->[$i]);
		my @is = map { col('branch_flags')->[$_] & 8 ? () : col('branch_count')->[$_] > 0 ? 1 : 0 }
			$branch .. $branch + $arcs - 1;
		$branch += $arcs + $terms;
		row('sum', path(col('sum_file')->[$i]), col('sum_line')->[$i],
			col('sum_code')->[$i] ? col('sum_count')->[$i] : '-',
			scalar @is, scalar grep { $_ } @is);
	}
}

sub test_name
{
	my ($part) = @_;
	for my $i (0 .. $#{ col('desc_key') }) {
		return col('desc_value')->[$i]
			if col('desc_part')->[$i] == $part && col('desc_key')->[$i] eq 'lcov test';
	}
	return "part $part";
}

# The names of a function in callgrind.pl's form.
sub place
{
	my ($i) = @_;
	return map { length ? $_ : '???' } object(col('fn_object')->[$i]), path(col('fn_file')->[$i]), fn($i);
}

sub address
{
	my ($code, $offset) = @_;
	return $offset ? sprintf '0x%x', (col('code_high')->[$code] << 32) + col('code_low')->[$code] + $offset - 1 : '-';
}

sub named
{
	my ($name, $row) = @_;
	my @cost = costs($name, $row);
	return map { "$_=" . shift @cost } @{ col('event_name') };
}

# In the form of callgrind.pl: self, call (without the entry) and jump.
sub print_instrs
{
	my ($instr, $site, %code) = (0, 0);
	for my $i (0 .. $#{ col('code_fn') }) {
		my $fn = col('code_fn')->[$i];
		my $at = sub {
			my ($kind, $row) = @_;
			return (place($fn), path(col("${kind}_file")->[$row]) || '???', col("${kind}_line")->[$row],
				address($i, col("${kind}_offset")->[$row]));
		};
		$code{$fn} = $i;
		for (1 .. col('code_instrs')->[$i]) {
			row('instr', $at->('instr', $instr), named('instr_cost', $instr));
			$instr++;
		}
		for (1 .. col('code_sites')->[$i]) {
			row('site', $at->('site', $site), '->', place(col('site_to')->[$site]),
				col('site_count')->[$site], named('site_cost', $site));
			$site++;
		}
	}
	for my $i (0 .. $#{ col('jump_fn') }) {
		my %is = map { $_ => col("jump_$_")->[$i] } qw(fn offset file line flags distance to to_file to_line executed followed);
		my $code = $code{ $is{fn} };
		row('jump', place($is{fn}), path($is{file}) || '???', $is{line}, defined $code ? address($code, $is{offset}) : '-',
			'->', place($is{to}), path($is{to_file}) || '???', $is{to_line},
			$is{flags} & 2 ? address($code, $is{offset} + $is{distance}) : '-',
			$is{flags} & 1 ? 'cond' : 'jump', $is{executed}, $is{followed});
	}
}

# Ranges of the disassembly: object, address, whether the profile has it, text, bytes.
sub print_asm
{
	my $i = 0;
	for my $range (0 .. $#{ col('asm_object') }) {
		my $addr = (col('asm_high')->[$range] << 32) + col('asm_low')->[$range];
		for (1 .. col('asm_count')->[$range]) {
			row('asm', $range, col('asm_object')->[$range], sprintf('0x%x', $addr),
				col('asm_ran')->[$i], col('asm_text')->[$i], col('asm_bytes')->[$i]);
			$addr += col('asm_step')->[$i++];
		}
	}
	my $of = col('code_asm');
	row('listed', fn(col('code_fn')->[$_]), $of->[$_]) for 0 .. $#$of;
}

sub print_tests
{
	my $at = 0;
	for my $i (0 .. $#{ col('test_part') }) {
		my @place = (test_name(col('test_part')->[$i]), path(col('test_file')->[$i]));
		row('test', @place, map { col("test_$_")->[$i] } qw(lines fns branches conditions));
		my $end = $at + col('test_lines')->[$i];
		row('testline', @place, col('test_line')->[$_], col('test_count')->[$_])
			for $at .. ($end <= @{ col('test_line') } ? $end : $at) - 1;
		$at = $end;
	}
}

# Ends of intervals in 1e-8 of the cost before; "-": unknown.
sub print_judged
{
	for my $i (0 .. $#{ col('judged_kind') }) {
		my %is = map { $_ => col("judged_$_")->[$i] } qw(kind at line real low high);
		my $what = (qw(total self inclusive line))[$is{kind}];
		row('judged', $what, $what eq 'total' ? '' : $what eq 'line' ? path($is{at}) . ":$is{line}" : fn($is{at}),
			$is{real} ? 'real' : 'noise', $is{low} > $is{high} ? ('-', '-') : @is{qw(low high)});
	}
}

sub print_all
{
	row('title', @{ col('title') });
	row('input', $_) for @{ col('input') };
	row('lost', $_) for @{ col('lost') };
	row($_, col($_)->[0]) for qw(inputs objects files cycles sampled guessed dropped_fns dropped_frames);
	for my $i (0 .. $#{ col('event_name') }) {
		my $sum = 0;
		$sum += $_ for @{ col('part_total', $i) };
		row('event', col('event_name')->[$i], $sum);
	}
	row('fn', fn($_), path(col('fn_file')->[$_]), object(col('fn_object')->[$_]), col('fn_calls')->[$_],
		(map { ($_) } costs('fn_inclusive', $_)), costs('fn_self', $_)) for 0 .. $#{ col('fn_name') };
	# Behind functions and the sum of those that were dropped.
	row('cycle', $_ + 1, col('cycle_calls')->[$_], costs('fn_inclusive', @{ col('fn_name') } + 1 + $_),
		costs('fn_self', @{ col('fn_name') } + 1 + $_)) for 0 .. $#{ col('cycle_calls') };
	row('entries', fn($_), col('fn_entries')->[$_] - 1)
		for grep { col('fn_entries')->[$_] } 0 .. $#{ col('fn_entries') };
	row('call', fn(col('call_from')->[$_]), fn(col('call_to')->[$_]), path(col('call_file')->[$_]),
		col('call_line')->[$_], col('call_count')->[$_], costs('call_cost', $_))
		for 0 .. $#{ col('call_from') };
	row('line', path(col('line_file')->[$_]), col('line_number')->[$_], fn(col('line_fn')->[$_]),
		costs('line_cost', $_)) for 0 .. $#{ col('line_file') };
	row('share', col('share_part')->[$_], fn(col('share_fn')->[$_]), costs('share_self', $_))
		for 0 .. $#{ col('share_part') };
	row('track_main', col('track_main')->[0]) if @{ col('track_main') };
	row('moment', col('moment_time')->[$_], fn(col('node_fn')->[col('moment_node')->[$_]]))
		for 0 .. $#{ col('moment_time') };
	row('source', path(col('source_file')->[$_]), col('source_text')->[$_]) for 0 .. $#{ col('source_file') };
	for my $run (0, 1) {
		for my $i (0 .. $#{ col('cover_file', $run) }) {
			row($run ? 'cover_before' : 'cover', path(col('cover_file', $run)->[$i]),
				map { join '/', col("cover_$_", $run)->[2 * $i + 1], col("cover_$_", $run)->[2 * $i] }
				qw(lines fns branches));
		}
	}
	row('judged_runs', @{ col('judged_runs') }) if @{ col('judged_runs') };
	row('judged_method', @{ col('judged_event') }, @{ col('judged_method') }) if @{ col('judged_event') };
	print_judged();
	print_nodes();
	print_sums();
	print_tests();
	print_instrs();
	print_asm();
}

sub check
{
	my ($policy) = $page =~ /http-equiv="Content-Security-Policy" content="([^"]*)"/;
	my $head = substr $page, 0, index $page, 'id="data"';
	for (['script-src', $script], ['style-src', $style]) {
		my ($name, $text) = @$_;
		$policy =~ /$name 'sha256-\Q@{[sha256_base64($text)]}\E='/
			or die "the policy has another $name\n";
	}
	$policy =~ /^default-src 'none'; / or die "the policy allows more\n";
	index($page, $policy) < index($page, '<style>') or die "the policy comes too late\n";
	my $opens = () = $page =~ /<script/g;
	$opens == 2 or die "the page has $opens scripts\n";
	$head =~ /<(?!meta|html|head|title|style|body|noscript|script|!DOCTYPE|\/)/ and die "a tag: $&\n";
	# The name of SVG's elements is no address.
	for ($script =~ s{'http://www\.w3\.org/2000/svg'}{}gr, $style) {
		/innerHTML|outerHTML|insertAdjacent|document\.write|\beval\b|new Function|https?:|fetch\(|XMLHttp|WebSocket|\bimport\b\s*\(|\@import|url\(/
			and die "the page may load or evaluate: $&\n";
	}
	$script =~ m{</script|<!--}i and die "the script ends early\n";
	exit;
}
