# sonarqube.bats - SonarQube's generic coverage.
load ../helper

setup()
{
	dir=$BATS_TEST_TMPDIR
	lcov=samples/lcov/geninfo-2.5/coverage.info
}

@test "sonarqube: lines, branches and names" {
	printf '%s\n' 'SF:/a&b.c' DA:1,3 DA:2,0 DA:3,1 BRDA:3,0,0,1 BRDA:3,0,1,0 \
		BRDA:3,U1,0,0 end_of_record SF:/empty.c end_of_record |
		"$CGCONV" -q -t sonarqube - |
		says '<?xml version="1.0" encoding="UTF-8"?>' \
		'<coverage version="1">' '<file path="/a&amp;b.c">' \
		'<lineToCover lineNumber="1" covered="true"/>' \
		'<lineToCover lineNumber="2" covered="false"/>' \
		'<lineToCover lineNumber="3" covered="true" branchesToCover="2" coveredBranches="1"/>' \
		'</file>' '</coverage>'
}

@test "sonarqube: totals equal those of lcov" {
	"$CGCONV" -q -t sonarqube "$lcov" | perl -ne '
		/<lineToCover lineNumber="[1-9]\d*" covered="(true|false)"(?: branchesToCover="(\d+)" coveredBranches="(\d+)")?\/>/
		    or next;
		$lines++; $hit += $1 eq "true"; $all += $2 // 0; $ran += $3 // 0;
		END { print "$hit $lines $ran $all\n" }' >"$dir/got"
	awk -F : '{ sum[$1] += $2 } END { print sum["LH"], sum["LF"],
		sum["BRH"], sum["BRF"] }' "$lcov" >"$dir/want"
	same "$dir/want" "$dir/got"
}

# The schema as the documentation of SonarQube 9.9 prints it: elements,
# attributes and their types.
@test "sonarqube: output is valid" {
	command -v xmllint >/dev/null || skip "no xmllint"
	cat >"$dir/coverage.xsd" <<-'EOF'
	<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
	<xs:complexType name="line">
	<xs:attribute name="lineNumber" type="xs:positiveInteger" use="required"/>
	<xs:attribute name="covered" type="xs:boolean" use="required"/>
	<xs:attribute name="branchesToCover" type="xs:nonNegativeInteger"/>
	<xs:attribute name="coveredBranches" type="xs:nonNegativeInteger"/>
	</xs:complexType>
	<xs:complexType name="file"><xs:sequence>
	<xs:element name="lineToCover" type="line" minOccurs="0" maxOccurs="unbounded"/>
	</xs:sequence><xs:attribute name="path" type="xs:string" use="required"/>
	</xs:complexType>
	<xs:element name="coverage"><xs:complexType><xs:sequence>
	<xs:element name="file" type="file" minOccurs="0" maxOccurs="unbounded"/>
	</xs:sequence>
	<xs:attribute name="version" type="xs:positiveInteger" use="required"/>
	</xs:complexType></xs:element>
	</xs:schema>
	EOF
	for file in "$lcov" samples/gcov/gcc-c/*.gcda \
		samples/jacoco/java/jacoco.xml; do
		"$CGCONV" -q -t sonarqube "$file" >"$dir/out.xml"
		xmllint --nonet --noout --schema "$dir/coverage.xsd" \
			"$dir/out.xml" 2>"$dir/err" || { cat "$dir/err"; false; }
	done
}

@test "sonarqube: what it cannot represent is reported" {
	"$CGCONV" -v -t sonarqube "$lcov" 2>"$dir/err" >"$dir/out"
	grep -q 'sonarqube cannot represent: .*definitions' "$dir/err"
	grep -q 'how often lines ran is dropped' "$dir/err"
	printf 'mode: set\na.go:1.1,1.2 1 1\n' |
		"$CGCONV" -v -t sonarqube - 2>"$dir/err" >"$dir/out"
	[ "$(grep -c 'how often' "$dir/err")" -eq 0 ]
}

@test "sonarqube: markers of sources exclude lines" {
	printf 'int a;\nint b; // GCOVR_EXCL_LINE\n' >"$dir/a.c"
	printf 'SF:%s\nDA:1,1\nDA:2,1\nend_of_record\n' "$dir/a.c" |
		"$CGCONV" -q -t sonarqube --sources / - | grep -c lineToCover |
		says 1
}

@test "sonarqube: reads what it writes, and the documented example" {
	"$CGCONV" -q -t sonarqube "$lcov" >"$dir/one.xml"
	"$CGCONV" -q -t sonarqube "$dir/one.xml" >"$dir/two.xml"
	same "$dir/one.xml" "$dir/two.xml"
	"$CGCONV" -q --no-markers -t lcov samples/sonarqube/generic/coverage.xml |
		grep -E '^(SF|DA|BR[FH])' | says SF:src/first.c DA:6,1 DA:7,0 \
		SF:src/second.c DA:2,1 DA:3,0 BRF:10 BRH:7
}

@test "sonarqube: errors name their location" {
	refuses_line()
	{
		printf '<coverage version="1"><file path="a">\n%s</file></coverage>' \
			"$2" >"$dir/bad.xml"
		refuses 1 "bad.xml:2:1: error: expected $1" "$dir/bad.xml"
	}
	refuses_line 'covered="..." with true or false' \
		'<lineToCover lineNumber="1"/>'
	refuses_line 'lineNumber="..." with a number' \
		'<lineToCover covered="true"/>'
	refuses_line 'coveredBranches="..." with a number up to 1' \
		'<lineToCover lineNumber="1" covered="true" branchesToCover="1" coveredBranches="2"/>'
	refuses_line 'fewer branches' \
		'<lineToCover lineNumber="1" covered="true" branchesToCover="4000000000"/>'
	sed 's/version="1"/version="2"/' samples/sonarqube/generic/coverage.xml \
		>"$dir/bad.xml"
	refuses 1 'expected version="1" of the coverage' "$dir/bad.xml"
}
