/** A line of a diff: its number before and after the change, null where it does not exist. */
export type DiffLine = { kind: 'same' | 'added' | 'deleted'; old: number | null; new: number | null; text: string };

export type Hunk = { title: string; lines: DiffLine[] };

/** The changes of one file. */
export type DiffFile = {
  path: string;
  /** The previous path, if it was renamed. */
  from: string | null;
  status: 'added' | 'deleted' | 'modified' | 'renamed';
  isBinary: boolean;
  /** Such as a change of its mode. */
  notes: string[];
  added: number;
  deleted: number;
  hunks: Hunk[];
};

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/;

/** Parses a git patch. Lines are counted as each hunk header announces, so that no content is mistaken for a header. */
export function parseDiff(patch: string): DiffFile[] {
  const lines = patch.split('\n');
  const files: DiffFile[] = [];
  let file: DiffFile | undefined;
  for (let at = 0; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    if (line.startsWith('diff --git ')) {
      file = begin(line);
      files.push(file);
      continue;
    }
    if (file === undefined) continue;
    const hunk = HUNK.exec(line);
    if (hunk === null) readHeader(file, line);
    else at = readHunk(file, { lines, at, hunk });
  }
  return files;
}

function begin(line: string): DiffFile {
  return {
    path: pathInHeader(line.slice('diff --git '.length)),
    from: null,
    status: 'modified',
    isBinary: false,
    notes: [],
    added: 0,
    deleted: 0,
    hunks: [],
  };
}

/** Without a rename both halves are the same path; a rename has its own header lines. */
function pathInHeader(text: string): string {
  if (text.startsWith('"')) return withoutSide(unquoted(text.slice(0, text.indexOf('"', 1) + 1)));
  return withoutSide(text.slice(0, Math.floor(text.length / 2)));
}

function readHeader(file: DiffFile, line: string): void {
  const after = (words: string) => (line.startsWith(words) ? line.slice(words.length) : undefined);
  const path = after('+++ ') ?? after('--- ');
  if (path !== undefined && path !== '/dev/null') file.path = withoutSide(unquoted(path.replace(/\t$/, '')));
  else if (line.startsWith('new file mode')) file.status = 'added';
  else if (line.startsWith('deleted file mode')) file.status = 'deleted';
  else if (line.startsWith('Binary files ') || line === 'GIT binary patch') file.isBinary = true;
  else if (line.startsWith('old mode ') || line.startsWith('new mode ')) file.notes.push(line);
  readRename(file, { from: after('rename from '), to: after('rename to ') });
}

function readRename(file: DiffFile, { from, to }: { from: string | undefined; to: string | undefined }): void {
  if (from !== undefined) file.from = unquoted(from);
  if (to !== undefined) file.path = unquoted(to);
  if (from !== undefined || to !== undefined) file.status = 'renamed';
}

type At = { lines: readonly string[]; at: number; hunk: RegExpExecArray };

function readHunk(file: DiffFile, { lines, at, hunk }: At): number {
  let [old, fresh] = [Number(hunk[1]), Number(hunk[3])];
  let [oldLeft, freshLeft] = [Number(hunk[2] ?? 1), Number(hunk[4] ?? 1)];
  const read: DiffLine[] = [];
  let next = at + 1;
  for (; next < lines.length && (oldLeft > 0 || freshLeft > 0); next += 1) {
    const line = lines[next] ?? '';
    const text = line.slice(1);
    if (line.startsWith('+')) {
      read.push({ kind: 'added', old: null, new: fresh, text });
      [fresh, freshLeft] = [fresh + 1, freshLeft - 1];
      file.added += 1;
    } else if (line.startsWith('-')) {
      read.push({ kind: 'deleted', old, new: null, text });
      [old, oldLeft] = [old + 1, oldLeft - 1];
      file.deleted += 1;
    } else if (line.startsWith(' ') || line === '') {
      read.push({ kind: 'same', old, new: fresh, text });
      [old, oldLeft, fresh, freshLeft] = [old + 1, oldLeft - 1, fresh + 1, freshLeft - 1];
    } else if (!line.startsWith('\\')) break;
  }
  file.hunks.push({ title: hunk[5] ?? '', lines: read });
  return next - 1;
}

function withoutSide(path: string): string {
  return /^[ab]\//.test(path) ? path.slice(2) : path;
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 };

/** Decodes git's quoting of unusual paths: octal bytes and C escapes. */
function unquoted(text: string): string {
  if (!(text.startsWith('"') && text.endsWith('"') && text.length > 1)) return text;
  const bytes: number[] = [];
  for (const [, octal, letter, plain] of text.slice(1, -1).matchAll(/\\([0-7]{3})|\\(.)|([^\\]+)/gu)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? 63);
    else bytes.push(...new TextEncoder().encode(plain ?? ''));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
