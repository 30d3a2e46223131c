/** A profile, or several files by name: profiles that are merged, executables,
 * notes of gcov. Names appear in messages and may tell the format. */
export type Input = Uint8Array | ArrayBuffer | Record<string, Uint8Array | ArrayBuffer>;

export interface Options {
	/** Options of the program, as ["--focus", "parse"]. */
	options?: string[];
	/** Gets each note and warning. */
	report?: (line: string) => void;
}

export interface ConvertOptions extends Options {
	/** The target format, as "callgrind": the program lists them by --list-formats. */
	to: string;
}

/** Converts a profile. Throws an Error with the program's messages and status. */
export function convert(input: Input, options: ConvertOptions): Promise<Uint8Array>;

/** What --info --json prints: totals, functions, what the profile has. */
export function info(input: Input, options?: Options): Promise<Record<string, any>>;
