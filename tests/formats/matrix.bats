# matrix.bats - properties of every sample with every writer: see matrix.bash.
load ../helper

setup_file()
{
	bash tests/formats/matrix.bash "$BATS_FILE_TMPDIR" convert_samples
}

has_property()
{
	rm -rf "$BATS_FILE_TMPDIR/test"
	bash tests/formats/matrix.bash "$BATS_FILE_TMPDIR" "$1"
}

@test "matrix: a writer rejects a sample only for a known reason" {
	has_property rejects
}

@test "matrix: every writer conserves self cost" {
	has_property conserves
}

@test "matrix: --verify finds no unexpected difference" {
	has_property verifies
}

@test "matrix: calls have inclusive costs wherever functions have self costs" {
	has_property includes
}

@test "matrix: converting X to X again changes nothing" {
	has_property repeats
}

@test "matrix: converting through JSON or a second time changes nothing" {
	has_property keeps_json
}

@test "matrix: merging a and a doubles a; merging is commutative" {
	has_property merges
}

@test "matrix: exactly one format claims each sample" {
	has_property claims
}

@test "matrix: gzip and pipes make no difference" {
	has_property pipes
}

@test "matrix: an input truncated at any byte is an error or a warning" {
	has_property truncates
}
