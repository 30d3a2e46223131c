# coverlet.bats - JSON of coverlet.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	json=samples/coverlet/branches/coverage.json
}

@test "coverlet: lines, methods, branches by instruction" {
	"$CGCONV" -q --no-markers -t lcov $json |
		grep -E '^(SF|FN:|FNDA|DA|BRDA)' | says SF:/src/Main.cs \
		'FN:3,System.Void Demo.Main::Run()' \
		'FNDA:1,System.Void Demo.Main::Run()' DA:3,1 SF:C:/src/Stack.cs \
		'FN:7,System.Void Demo.Stack::.ctor()' \
		'FN:21,System.Int32 Demo.Stack::Sum()' \
		'FN:33,System.Void Demo.Stack/Empty::Throw()' \
		'FNDA:1,System.Void Demo.Stack::.ctor()' \
		'FNDA:1,System.Int32 Demo.Stack::Sum()' \
		'FNDA:0,System.Void Demo.Stack/Empty::Throw()' DA:7,1 DA:9,1 \
		DA:10,1 DA:21,2 DA:22,2 DA:23,18 BRDA:23,0,0,2 BRDA:23,0,1,6 \
		BRDA:23,1,0,- BRDA:23,1,1,- DA:24,6 DA:26,2 DA:33,0 DA:34,0
}

@test "coverlet: errors name their location" {
	sed 's/"21": 2/"21": -2/' $json >"$dir/bad.json"
	refuses 1 "bad.json:15:19: error: expected a count" "$dir/bad.json"
	sed 's/"21": 2/"x": 2/' $json >"$dir/bad.json"
	refuses 1 "expected a line number as key" "$dir/bad.json"
	sed 's/"Line": 23/"Line": 0/' $json >"$dir/bad.json"
	refuses 1 "expected a branch with a line" "$dir/bad.json"
}
