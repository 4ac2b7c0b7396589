import picomatch from 'picomatch';
import { commandText } from '../gates/gate-kinds.ts';
import type { GateSpec } from '../schema/gate.ts';
import { isCheckLike, isExpectation, isSubject, packageEntries } from './check-files.ts';
import { TEST_RUNNERS, type Use, usesOf } from './command-uses.ts';
import { plainPath } from '../core/policy/path-glob.ts';
import { makeCommands } from './guard-make.ts';
import { namedScripts, SCRIPT_RUNNERS, scriptsOf, WORKSPACES } from './guard-package.ts';
import { folderOf, importedFiles, isProgram, quotedTexts, resolveFile } from './module-imports.ts';
import { commandLabel, joinPath, SHELL_TEXT, type ShellCommand, shellCommands, UNKNOWN } from './shell-commands.ts';

/** The files of one commit. */
export interface CommitFiles {
  paths: ReadonlySet<string>;
  read(path: string): Promise<string | undefined>;
}

/** How a check uses a file. `script`: it runs it; `configuration`: it is configured by it; `test`: it gives it to a test runner; `module`: one of these loads it; `source`: it runs it, and is about it. */
type FileRole = 'script' | 'configuration' | 'test' | 'module' | 'source';

/** A file that a check comes to, and by which steps: `npm test`, `t.sh`, `u.sh`. */
interface ReachedFile {
  role: FileRole;
  chain: readonly string[];
}

/** What the checks come to. */
export interface Closure {
  /** How a check uses a path, whether or not the base has such a file. */
  find(path: string): ReachedFile | undefined;
  /** Every text of commands that a check comes to, and of the programs that it runs. */
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
}

/** More files than any project needs for its checks. */
const MAX_FILES = 2_000;
const MAKE = /^(make|gmake|bmake)$/;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const STRONGEST: readonly FileRole[] = ['script', 'configuration', 'test', 'module', 'source'];

/** Follows the checks through shell, package scripts, make, imports and configuration. */
export async function closureOf(
  gates: readonly Extract<GateSpec, { gate: 'command' }>[],
  files: CommitFiles,
  targets: ReadonlySet<string> = new Set(),
): Promise<Closure> {
  const walk = new Walk(files, packageEntries(await files.read('package.json')), targets);
  for (const gate of gates) {
    const text = commandText(gate);
    await walk.commands(text, { folder: '', chain: [commandLabel(text)], isOwn: gate.own === true });
  }
  await walk.drain();
  return walk.closure();
}

/** Where a text of commands is: its folder, and the steps that lead to it. */
type Position = { folder: string; chain: readonly string[]; isOwn?: boolean };

class Walk {
  readonly #files: CommitFiles;
  readonly #entries: ReadonlySet<string>;
  readonly #targets: ReadonlySet<string>;
  readonly #reached = new Map<string, ReachedFile>();
  /** Names without extension, of files that are run although the base does not have them. */
  readonly #stems = new Map<string, ReachedFile>();
  readonly #queue: string[] = [];
  readonly #read = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #texts: string[] = [];
  readonly #words = new Set<string>();
  readonly #makeWords: string[] = [];
  readonly #judged = new Set<string>();
  #isOpaque = false;

  constructor(files: CommitFiles, entries: ReadonlySet<string>, targets: ReadonlySet<string>) {
    this.#files = files;
    this.#entries = entries;
    this.#targets = targets;
  }

  /** Follows every command of a text. */
  async commands(text: string, at: Position): Promise<void> {
    const id = `${at.folder}\n${text}`;
    if (this.#seen.has(id) || this.#seen.size > MAX_FILES) return;
    this.#seen.add(id);
    this.#texts.push(text);
    for (const command of shellCommands(text, at.folder)) {
      for (const word of command.words) this.#words.add(word.split('/').at(-1) ?? '');
      for (const use of usesOf(command)) await this.#use(use, command, at);
      if (command.words.some((word) => SCRIPT_RUNNERS.test(word))) await this.#packageScripts(command, at);
      if (command.words.some((word) => MAKE.test(word))) await this.#make(command, at);
    }
  }

  async drain(): Promise<void> {
    for (let path = this.#queue.pop(); path !== undefined; path = this.#queue.pop()) {
      const found = this.#reached.get(path);
      if (found === undefined || found.role === 'source' || this.#read.has(path) || this.#read.size >= MAX_FILES)
        continue;
      this.#read.add(path);
      const text = await this.#files.read(path);
      if (text === undefined) this.#isOpaque ||= found.role === 'script';
      else await this.#follow(path, text, found);
    }
  }

  closure(): Closure {
    const byName = new Map([...this.#reached].map(([path, found]) => [plainPath(path).toLowerCase(), found]));
    return {
      find: (path) => {
        const plain = plainPath(path).toLowerCase();
        return (
          byName.get(plain) ??
          this.#stems.get(plain.replace(/\.\w+$/, '')) ??
          this.#stems.get(plain.replace(/\/(index|__main__|main)\.\w+$/, ''))
        );
      },
      texts: this.#texts,
      words: this.#words,
      makeWords: this.#makeWords,
      isOpaque: this.#isOpaque,
      judged: this.#judged,
      entries: this.#entries,
    };
  }

  async #follow(path: string, text: string, { role, chain }: ReachedFile): Promise<void> {
    const folder = folderOf(path);
    if (
      /\.(sh|bash|zsh|ksh|bats)$/i.test(path) ||
      SHELL_TEXT.test(text) ||
      (role === 'script' && !/\.\w+$/.test(path))
    ) {
      await this.commands(text, { folder: '', chain });
      if (folder !== '') await this.commands(text, { folder, chain });
    } else if (/\.json5?c?$|(^|\/)\.\w+rc$/.test(path)) this.#configured(text, { folder, chain });
    else if (isProgram(path)) {
      for (const file of importedFiles(path, text, this.#files.paths))
        this.#add(file, { role: 'module', chain: [...chain, file] });
      if (role === 'script') this.#texts.push(quotedTexts(text).join(' '));
      if (role === 'script' || role === 'configuration') await this.#quoted(text, { folder, chain });
    } else if (role !== 'test') this.#configured(text, { folder, chain });
  }

  /** Files that a program names between quotes: it may start or load them. */
  async #quoted(text: string, at: Position): Promise<void> {
    for (const quoted of quotedTexts(text)) {
      if (/\s/.test(quoted)) {
        if (/\b(sh|bash|node|python3?|npm|npx|make|\.\/)/.test(quoted))
          await this.commands(quoted, { ...at, folder: '' });
        continue;
      }
      for (const folder of new Set([at.folder, ''])) {
        const file = this.#existing(joinPath(folder, quoted), /^\.{0,2}\//.test(quoted));
        if (file === undefined) continue;
        const isShell = /\.(sh|bash|zsh|ksh|mk)$/i.test(file);
        if (isShell || isProgram(file))
          this.#add(file, { role: isShell ? 'script' : 'module', chain: [...at.chain, file] });
      }
    }
  }

  /** Files that a configuration names: further configuration, or modules that it loads. */
  #configured(text: string, at: Position): void {
    const unquoted = text.split(/[\s,:=[\]{}()]+/).filter((word) => /^\.{0,2}[\w@/-]+\.\w+$|^\.{1,2}\//.test(word));
    for (const name of new Set([...quotedTexts(text), ...unquoted])) {
      const file = this.#existing(joinPath(at.folder, name), /^\.{1,2}\//.test(name));
      if (file === undefined || file === at.chain.at(-1)) continue;
      const isSettings = /\.(json|jsonc|json5|ya?ml|toml|ini|cfg|conf)$|(^|\/)\.[\w.-]+$/i.test(file);
      if (isSettings || isProgram(file) || /\.(sh|bash|mk)$/.test(file))
        this.#add(file, { role: isSettings ? 'configuration' : 'module', chain: [...at.chain, file] });
    }
  }

  async #use({ word, how }: Use, command: ShellCommand, at: Position): Promise<void> {
    const name = how === 'module' ? word.replaceAll('.', '/') : word.replace(new RegExp(`^.*${UNKNOWN}/?`), '');
    if (name === '' || name.includes(UNKNOWN)) return;
    const folders = new Set([
      ...command.folders,
      at.folder,
      ...(word === name ? [] : [folderOf(at.chain.at(-1) ?? '')]),
    ]);
    for (const folder of folders) {
      const path = joinPath(folder, name);
      if (path === '' || (at.isOwn === true && this.#targets.has(path))) continue;
      for (const file of this.#matching(path, how)) await this.#reachFile(file, how, { command, at });
    }
  }

  #matching(path: string, how: Use['how']): string[] {
    if (/[*?[]|\{.*,/.test(path)) {
      const isMatch = picomatch(path, { dot: true });
      return [...this.#files.paths].filter((file) => isMatch(file)).slice(0, MAX_FILES);
    }
    return [this.#existing(path, how === 'run' || how === 'module') ?? path];
  }

  async #reachFile(
    file: string,
    how: Use['how'],
    { command, at }: { command: ShellCommand; at: Position },
  ): Promise<void> {
    const isKnown = this.#files.paths.has(file);
    const chain = [...at.chain, file];
    switch (how) {
      case 'test':
        if (isKnown) this.#add(file, { role: 'test', chain });
        return;
      case 'configuration':
        if (isKnown || /\.\w+$/.test(file)) this.#add(file, { role: 'configuration', chain });
        return;
      case 'compared':
        if (isExpectation(file, isKnown ? command.words : [])) this.#add(file, { role: 'configuration', chain });
        return;
      case 'run':
      case 'module': {
        if (command.isJudged && !isCheckLike(file)) {
          this.#judged.add(file);
          return;
        }
        if (!isKnown) return this.#addUnknown(file, how, chain);
        const isRunner = how === 'module' && TEST_RUNNERS.test(file.replace(/\.\w+$/, ''));
        const isAbout =
          this.#entries.has(file) ||
          (isProgram(file) && !isRunner && isSubject(file, await this.#files.read(file), this.#entries));
        if (!isAbout || !command.isJudged) this.#add(file, { role: isAbout ? 'source' : 'script', chain });
      }
    }
  }

  /** A file that a check would run if it existed. */
  #addUnknown(file: string, how: 'run' | 'module', chain: readonly string[]): void {
    const found: ReachedFile = { role: 'script', chain };
    this.#isOpaque = true;
    // What a check itself starts and the base does not have is what the task is to create, unless its name says that it checks.
    const isGuarded = isCheckLike(file) || (!isProgram(file) && chain.length > 2);
    if (/\.\w+$/.test(file)) {
      if (isGuarded) this.#reached.set(file, found);
    } else if (how === 'module' || isGuarded) this.#stems.set(plainPath(file).toLowerCase(), found);
  }

  async #packageScripts(command: ShellCommand, at: Position): Promise<void> {
    const isEverywhere = command.words.some((word) => WORKSPACES.test(word));
    const manifests = isEverywhere
      ? [...this.#files.paths]
          .filter((path) => /(^|\/)package\.json$/.test(path) && !path.includes('node_modules/'))
          .slice(0, 200)
      : [...new Set([...command.folders, ''])].map((folder) => joinPath(folder, 'package.json'));
    for (const manifest of manifests) {
      const scripts = scriptsOf(await this.#files.read(manifest));
      for (const name of namedScripts(command.words.join(' '), scripts)) {
        for (const each of [`pre${name}`, name, `post${name}`]) {
          const text = scripts.get(each);
          if (text === undefined) continue;
          const isSame = at.chain.length === 1 && namedScripts(at.chain[0] ?? '', scripts).includes(each);
          const chain = isSame ? at.chain : [...at.chain, `npm run ${each}`];
          await this.commands(text, { folder: folderOf(manifest), chain });
        }
      }
    }
  }

  async #make(command: ShellCommand, at: Position): Promise<void> {
    this.#makeWords.push(...command.words);
    for (const folder of new Set(command.folders)) {
      const path = MAKEFILES.map((name) => joinPath(folder, name)).find((name) => this.#files.paths.has(name));
      const text = path === undefined ? undefined : await this.#files.read(path);
      if (path === undefined || text === undefined) continue;
      const { recipes, includes } = makeCommands(text, command.words);
      for (const include of includes) {
        const file = joinPath(folder, include);
        if (this.#files.paths.has(file)) this.#add(file, { role: 'script', chain: [...at.chain, path, file] });
      }
      await this.commands(recipes, { folder, chain: at.chain });
    }
  }

  #existing(path: string, isGuessed: boolean): string | undefined {
    if (this.#files.paths.has(path)) return path;
    return isGuessed ? resolveFile(path, this.#files.paths) : undefined;
  }

  #add(path: string, found: ReachedFile): void {
    const known = this.#reached.get(path);
    if (known !== undefined && STRONGEST.indexOf(known.role) <= STRONGEST.indexOf(found.role)) return;
    this.#reached.set(path, found);
    this.#read.delete(path);
    this.#queue.push(path);
  }
}
