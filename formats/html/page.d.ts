/*
 * page.d.ts - what TypeScript does not know of browsers and of the page, for
 * "make lint" only.
 */

interface Uint8ArrayConstructor {
	/* of newer browsers */
	fromBase64(text: string): Uint8Array;
}

interface Window {
	/* that data files of --split call */
	cgconvData(name: string, text: string, id: number): void;
}

interface HTMLAnchorElement {
	/* of links to the state with some changes, see dress() */
	changes?: object;
	/* of links to functions, whose text may be shorter, see fnLink() */
	fullName?: string;
}

/* A column of a table, see table.js. */
interface TableColumn {
	key: string;
	label: string;
	hint?: string;
	number?: boolean;
	width?: string;
	value?(row: any): number | string;
	show(row: any): any;
	text?(row: any): number | string;
}
