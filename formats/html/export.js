/*
 * export.js - tables as text for the clipboard and as csv files: all rows in
 * the order that is shown, with all digits.
 */

/* The text of a cell: what the column sorts by, or what the page shows. */
function cellText(column, row) {
	const value = column.text ? column.text(row) : column.value ? column.value(row) : null;

	if (value !== null && value !== undefined)
		return String(value);
	return el('span', {}, column.show(row)).textContent;
}

/* Rows of fields, the headings first. */
function tableFields(table) {
	const columns = table.o.columns.filter((column) => column.label);

	/* Views next to the table may have other numbers. */
	return [columns.map((column) => column.label)].concat(within(table.narrowed, () =>
		table.rows.map((row) => columns.map((column) => cellText(column, row)))));
}

/* RFC 4180. */
function csvField(text) {
	return /[",\r\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;
}

function asCsv(table) {
	return tableFields(table).map((row) => row.map(csvField).join(',') + '\r\n').join('');
}

function asText(table) {
	return tableFields(table).map((row) =>
		row.map((text) => text.replace(/[\t\r\n]/g, ' ')).join('\t') + '\n').join('');
}

function saveFile(name, type, text) {
	const url = URL.createObjectURL(new Blob([text], { type }));

	el('a', { href: url, download: name }).click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/* Pages that are not secure, and some frames, may not write to the clipboard, but copy a selection. */
async function copyText(text) {
	if (await navigator.clipboard?.writeText(text).then(() => true, () => false))
		return;

	const box = el('textarea', {});

	box.value = text;
	document.body.append(box);
	box.select();
	const done = document.execCommand('copy');

	box.remove();
	if (!done)
		throw new Error('copying failed');
}

/* Buttons that copy and save a table. */
function tableTools(table) {
	const said = el('span', { class: 'dim', role: 'status' });
	const name = document.title + ' ' + table.o.label;

	return el('span', { class: 'tools' }, table.o.choose ? columnsMenu(table.all) : null,
		el('button', { title: 'Copy all rows as text', on: { click: () =>
			copyText(asText(table)).then(() => said.textContent = 'copied',
				(e) => said.textContent = e.message) } }, 'Copy'),
		el('button', { title: 'Save all rows as a csv file', on: { click: () =>
			saveFile(name.replace(/[^\w.-]+/g, '-') + '.csv', 'text/csv', asCsv(table)) } }, 'csv'),
		said);
}
