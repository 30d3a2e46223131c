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

/* Where the branches, or the outcomes of conditions, of a sum are. */
function outcomeRange(sum, conditions, run) {
	const begin = branchIndex(run)[sum], middle = begin + col('sum_branches', run)[sum];

	return conditions ? [middle, branchIndex(run)[sum + 1]] : [begin, middle];
}

/* { all, hit } of the branches, or of the conditions, of a sum. */
function branchesHit(sum, conditions, run) {
	const [begin, end] = outcomeRange(sum, conditions, run);
	const count = col('branch_count', run), flags = col('branch_flags', run), found = { all: 0, hit: 0 };

	for (let i = begin; i < end; i++)
		if (!(flags[i] & UNREACHABLE)) {
			found.all++;
			found.hit += count[i] > 0 ? 1 : 0;
		}
	return found;
}

function branchWords(i, run) {
	const count = col('branch_count', run)[i], flags = col('branch_flags', run)[i];

	return (flags & UNREACHABLE ? 'impossible' : count > 0 ? 'taken ' + number(count) + (count === 1 ? ' time' : ' times')
		: flags & REACHED ? 'never taken' : 'never reached') +
		(flags & FALLTHROUGH ? ' (fallthrough)' : '') + (flags & THROW ? ' (exception)' : '');
}

/* What each branch, or outcome of a condition, of a line did. */
function branchTitle(sum, conditions, run) {
	const [begin, end] = outcomeRange(sum, conditions, run), count = col('branch_count', run), lines = [];

	for (let i = begin; i < end; i++)
		lines.push(conditions ? 'condition ' + (i - begin >> 1) + ((i - begin) % 2 ? ' true' : ' false') + ': ' +
			(col('branch_flags', run)[i] & UNREACHABLE ? 'impossible' : count[i] > 0 ? 'shown to decide alone' : 'not shown to decide alone')
			: 'branch ' + (i - begin) + ': ' + branchWords(i, run));
	return lines.join('\n');
}

/* ---- Signs --------------------------------------------------------------- */

const SIGNS = { '+': 'high', '\u2212': 'low', '#': 'dim' }; /* and their colours */
const MOST_SIGNS = 8; /* of a line; of more the number is shown */

/*
 * The signs of a line's branches by block, as genhtml has them: + taken, \u2212 never
 * taken, # never reached. Of conditions by condition: true, false.
 */
function signsOf(sum, conditions) {
	const [begin, end] = outcomeRange(sum, conditions), groups = [];
	const count = col('branch_count'), flags = col('branch_flags'), block = col('branch_block');
	let last = -1;

	for (let i = begin; i < end; i++) {
		const group = conditions ? i - begin >> 1 : block[i];

		if (flags[i] & UNREACHABLE)
			continue;
		if (!groups.length || group !== last)
			groups.push([]);
		last = group;
		groups.at(-1).push(count[i] > 0 ? '+' : conditions || flags[i] & REACHED ? '\u2212' : '#');
	}
	return conditions ? groups.map((group) => group.reverse()) : groups;
}

/* Signs if they are few, else how many are taken of all. */
function showOutcomeSigns(sum, conditions) {
	const found = branchesHit(sum, conditions), groups = found.all ? signsOf(sum, conditions) : [];
	const level = found.hit < found.all ? 'low' : 'high', title = branchTitle(sum, conditions);
	const words = found.hit + ' of ' + found.all + (conditions ? ' outcomes shown' : ' taken');

	if (!found.all)
		return '';
	if (found.all > (narrow() ? 2 : MOST_SIGNS))
		return el('span', { title: words + '\n' + title, class: level }, found.hit + (narrow() ? '/' : ' of ') + found.all);
	return el('span', { title: words + '\n' + title, class: 'signs', role: 'img', 'aria-label': words }, groups.map((group) => el('span', {}, '[',
		group.map((sign, i) => [i && !narrow() ? ' ' : '', el('b', { class: SIGNS[sign] }, sign)]), ']')));
}

/** @returns {TableColumn[]} */
function branchColumns(file, sumOf) {
	const has = (kind) => (fileSums().get(file) || NOTHING)[kind].all > 0;
	const column = (key, label, short, hint, conditions) => ({ key, label: narrow() ? short : label, number: true,
		width: wide(152, 46), hint, show: (line) => sumOf(line) >= 0 ? showOutcomeSigns(sumOf(line), conditions) : '' });

	return [column('branches', 'Branches', 'Br.', 'branches: + taken, \u2212 never taken, # never reached', false),
		...has('conditions') ? [column('conditions', 'Conditions', 'Cond.',
			'outcomes true and false of each condition (MC/DC): + shown to decide alone, \u2212 not shown', true)] : []];
}

/* What the signs mean, for files that have some. */
function signWords(file) {
	const has = (kind) => (fileSums().get(file) || NOTHING)[kind].all > 0;

	return narrow() || chosenTest() || !has('branches') ? null : el('span', { class: 'dim' }, '+ taken, \u2212 never taken, # never reached' +
		(has('conditions') ? '; conditions: [true false], + shown to decide alone' : ''));
}

/* Taken and all branches, and outcomes of conditions, as text. */
function showBranchCounts(sum, run) {
	const arcs = branchesHit(sum, false, run), conditions = branchesHit(sum, true, run);
	const text = (found, name) => found.all ? name + found.hit + '/' + found.all : '';

	if (!arcs.all && !conditions.all)
		return '';
	return el('span', { title: [branchTitle(sum, false, run), branchTitle(sum, true, run)].filter((t) => t).join('\n'),
		class: arcs.hit < arcs.all || conditions.hit < conditions.all ? 'low' : 'high' },
	[text(arcs, ''), text(conditions, 'cond. ')].filter((t) => t).join(', '));
}
