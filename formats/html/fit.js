/*
 * fit.js - names of functions in columns: as much of them as fits, by the rules of
 * names.js, which end where letters would be cut.
 */

const pen = document.createElement('canvas').getContext('2d');

function letterWidths(text) {
	return pen.measureText(text).width;
}

/* The room of a link in its cell, without what follows it; 0: it is not laid out. */
function roomOf(link, padding) {
	const right = link.parentElement.getBoundingClientRect().right - padding;
	const after = link.childElementCount ? letterWidths(link.lastElementChild.textContent) : 0;

	return right > 0 ? right - link.getBoundingClientRect().left - after : 0;
}

/* Names in cells of an element lose what does not fit, or get it back. */
function fitNames(at) {
	const links = at.querySelectorAll('.td > a.fn, .name > a.fn');

	if (!links.length || !at.isConnected)
		return;

	const padding = parseFloat(getComputedStyle(links[0].parentElement).paddingRight) || 0, style = getComputedStyle(links[0]);

	/* The shorthand is empty, as digits of equal width are not part of it. */
	pen.font = style.fontWeight + ' ' + style.fontSize + ' ' + style.fontFamily;

	/* Rooms are measured together, as each change would be laid out anew. */
	const rooms = Array.from(links, (link) => roomOf(link, padding));

	links.forEach((link, i) => {
		const whole = link.fullName, text = rooms[i] > 0 ? shortName(whole, rooms[i], letterWidths) : whole;

		if (link.firstChild.data === text)
			return;
		link.firstChild.data = text;
		if (text === whole)
			link.removeAttribute('aria-label');
		else
			link.setAttribute('aria-label', whole + (link.childElementCount ? link.lastElementChild.textContent : ''));
	});
}
