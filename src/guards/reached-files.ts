import picomatch from 'picomatch';
import { plainPath } from '../core/policy/path-glob.ts';
import { resolveFile } from './module-imports.ts';

/** The files of one commit. */
export interface CommitFiles {
  paths: ReadonlySet<string>;
  read(path: string): Promise<string | undefined>;
}

/** How a check uses a file. `script`: it runs it; `configuration`: it is configured by it; `test`: it gives it to a test runner; `module`: one of these loads it; `source`: it runs it, and is about it. */
type FileRole = 'script' | 'configuration' | 'test' | 'module' | 'source';

/** A file that a check reaches, and by which steps: `npm test`, `t.sh`, `u.sh`. */
export interface ReachedFile {
  role: FileRole;
  chain: readonly string[];
  /** What loads a module: a script, a configuration or a test that a check names. */
  loadedBy?: FileRole;
}

/** What the checks reach. */
export interface Closure {
  /** How a check uses a path, whether or not the base has such a file. */
  find(path: string): ReachedFile | undefined;
  /** Every text of commands that a check reaches, and of the programs that it runs. */
  texts: readonly string[];
  /** Every word of these commands: the programs that they start are among them. */
  words: ReadonlySet<string>;
  /** The words that `make` is called with. */
  makeWords: readonly string[];
  /** Whether the text of some script that a check runs could not be read. */
  isOpaque: boolean;
  /** Files that a check starts only to compare their output: it is about them. */
  judged: ReadonlySet<string>;
  /** The entry points of the package. */
  entries: ReadonlySet<string>;
  /** Folders of the repository in which programs are searched before the usual ones. */
  programFolders: ReadonlySet<string>;
}

/** More files than any project needs for its checks. */
export const MAX_FILES = 2_000;
const STRONGEST: readonly FileRole[] = ['script', 'configuration', 'test', 'module', 'source'];
const IS_GLOB = /[*?[]|\{.*,/;

/** The files that checks reach, and those that they would reach if the base had them. */
export class ReachedFiles {
  readonly #files: CommitFiles;
  readonly #reached = new Map<string, ReachedFile>();
  /** Names without extension, of files that are run although the base does not have them. */
  readonly #stems = new Map<string, ReachedFile>();
  /** Files that are run by a pattern, also those that the base does not have. */
  readonly #patterns: { isMatch(path: string): boolean; found: ReachedFile }[] = [];
  readonly #queue: string[] = [];
  readonly #taken = new Set<string>();

  constructor(files: CommitFiles) {
    this.#files = files;
  }

  /** Adds a file of the base, unless it is known in a stronger role. */
  add(path: string, found: ReachedFile): void {
    const known = this.#reached.get(path);
    const isConfigured = found.loadedBy === 'configuration' && known?.loadedBy !== 'configuration';
    if (known !== undefined && STRONGEST.indexOf(known.role) <= STRONGEST.indexOf(found.role)) {
      if (!isConfigured || known.role !== found.role) return;
    }
    this.#reached.set(path, found);
    this.#taken.delete(path);
    this.#queue.push(path);
  }

  /** Adds a file that the base does not have, by its name; without an extension any file of that name matches. */
  addAbsent(path: string, found: ReachedFile): void {
    if (/\.\w+$/.test(path)) this.#reached.set(path, found);
    else this.#stems.set(plainPath(path).toLowerCase(), found);
  }

  /** Adds whatever has a name like this, now or later. */
  addPattern(glob: string, found: ReachedFile): void {
    this.#patterns.push({ isMatch: picomatch(glob, { dot: true }), found });
  }

  /** The next file that was added and not yet followed. */
  next(): [path: string, found: ReachedFile] | undefined {
    for (let path = this.#queue.pop(); path !== undefined; path = this.#queue.pop()) {
      const found = this.#reached.get(path);
      if (found === undefined || found.role === 'source' || this.#taken.has(path) || this.#taken.size >= MAX_FILES)
        continue;
      this.#taken.add(path);
      return [path, found];
    }
    return undefined;
  }

  /** Answers how a check uses a path, whether or not the base has such a file. */
  finder(): (path: string) => ReachedFile | undefined {
    const byName = new Map([...this.#reached].map(([path, found]) => [plainPath(path).toLowerCase(), found]));
    const search = (path: string) => {
      const plain = plainPath(path).toLowerCase();
      return (
        byName.get(plain) ??
        this.#stems.get(plain.replace(/\.\w+$/, '')) ??
        this.#stems.get(plain.replace(/\/(index|__main__|main)\.\w+$/, '')) ??
        this.#patterns.find(({ isMatch }) => isMatch(path))?.found
      );
    };
    const known = new Map<string, ReachedFile | undefined>();
    return (path) => {
      if (!known.has(path)) known.set(path, search(path));
      return known.get(path);
    };
  }

  /** The file of the base that a name leads to, tried with the usual extensions where it may be guessed. */
  existing(path: string, isGuessed: boolean): string | undefined {
    if (this.#files.paths.has(path)) return path;
    return isGuessed ? resolveFile(path, this.#files.paths) : undefined;
  }

  /** The files of the base that a name or a pattern means; a name that leads to none of them stays as it is. */
  matching(path: string, isGuessed: boolean): string[] {
    if (!isPattern(path)) return [this.existing(path, isGuessed) ?? path];
    const isMatch = picomatch(path, { dot: true });
    return [...this.#files.paths].filter((file) => isMatch(file)).slice(0, MAX_FILES);
  }
}

/** Whether a name stands for several files. */
export function isPattern(path: string): boolean {
  return IS_GLOB.test(path);
}
