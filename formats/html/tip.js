/*
 * tip.js - details next to the pointer.
 */

let tip = null;

function hideTip() {
	if (tip)
		tip.hidden = true;
}

/* Shows content next to a place in the window, where there is room. */
function showTip(x, y, ...content) {
	if (!tip) {
		tip = el('div', { class: 'tip', 'aria-hidden': 'true' });
		document.body.append(tip);
	}
	put(tip, content);
	tip.hidden = false;

	const { width, height } = tip.getBoundingClientRect();
	const left = x + 14 + width > innerWidth - 4 ? x - 14 - width : x + 14;
	const top = y + 18 + height > innerHeight - 4 ? y - 12 - height : y + 18;

	tip.style.left = Math.max(4, Math.min(left, innerWidth - width - 4)) + 'px';
	tip.style.top = Math.max(4, top) + 'px';
}

/* A table of names and values for it. */
function tipRows(title, rows) {
	return [el('b', {}, title), el('table', {}, el('tbody', {}, rows.filter((row) => row && row[1])
		.map(([name, value]) => el('tr', {}, el('th', {}, name), el('td', {}, value)))))];
}
