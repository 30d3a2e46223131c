/*
 * branches.js - the branches and conditions of lines: how many were taken.
 */

const FALLTHROUGH = 1, THROW = 2, REACHED = 4, UNREACHABLE = 8;
const branchBegins = []; /* by run */

/* Where the branches of each sum begin. */
function branchIndex(run = 0) {
	if (branchBegins[run])
		return branchBegins[run];
	const branches = col('sum_branches', run), conditions = col('sum_conditions', run);
	const begins = branchBegins[run] = new Uint32Array(branches.length + 1);

	for (let i = 0; i < branches.length; i++)
		begins[i + 1] = begins[i] + branches[i] + conditions[i];
	return begins;
}

/* { all, hit } of the branches, or of the conditions, of a sum. */
function branchesHit(sum, conditions, run) {
	const arcs = col('sum_branches', run)[sum];
	const begin = branchIndex(run)[sum] + (conditions ? arcs : 0);
	const end = conditions ? branchIndex(run)[sum + 1] : begin + arcs;
	const count = col('branch_count', run), flags = col('branch_flags', run), found = { all: 0, hit: 0 };

	for (let i = begin; i < end; i++)
		if (!(flags[i] & UNREACHABLE)) {
			found.all++;
			found.hit += count[i] > 0 ? 1 : 0;
		}
	return found;
}

function branchTitle(sum, run) {
	const begin = branchIndex(run)[sum], arcs = col('sum_branches', run)[sum], lines = [];
	const count = col('branch_count', run), flags = col('branch_flags', run);

	for (let i = begin; i < branchIndex(run)[sum + 1]; i++) {
		const what = i - begin < arcs ? 'branch ' + (i - begin) : 'condition ' + (i - begin - arcs >> 1) +
			((i - begin - arcs) % 2 ? ' true' : ' false');

		lines.push(what + ': ' + (flags[i] & UNREACHABLE ? 'impossible' : count[i] > 0
			? (i - begin < arcs ? 'taken ' + number(count[i]) : 'shown')
			: flags[i] & REACHED || i - begin >= arcs ? 'never' : 'not reached') +
			(i - begin < arcs && flags[i] & FALLTHROUGH ? ' (fallthrough)' : '') +
			(i - begin < arcs && flags[i] & THROW ? ' (exception)' : ''));
	}
	return lines.join('\n');
}

function showBranches(sum, run) {
	const arcs = branchesHit(sum, false, run), conditions = branchesHit(sum, true, run);
	const text = (found, sign) => found.all ? sign + found.hit + '/' + found.all : '';

	if (!arcs.all && !conditions.all)
		return '';
	return el('span', { title: branchTitle(sum, run), class: arcs.hit < arcs.all ||
		conditions.hit < conditions.all ? 'low' : 'high' },
	[text(arcs, ''), text(conditions, 'c ')].filter((t) => t).join(' '));
}
