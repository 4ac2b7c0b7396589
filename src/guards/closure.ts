import { testRule } from '../core/finish/file-kind.ts';
import { commandText } from '../gates/gate-kinds.ts';
import type { GateSpec } from '../schema/gate.ts';
import { isCheckData, isCheckLike, isExpectation, isSubject, packageEntries } from './check-files.ts';
import { TEST_RUNNERS, type Use, usesOf } from './command-uses.ts';
import { loadedNames, ownSettings, roleOfNamed } from './configured-files.ts';
import { makeCommands } from './guard-make.ts';
import { namedScripts, SCRIPT_RUNNERS, scriptsOf, WORKSPACES } from './guard-package.ts';
import { folderOf, importedFiles, isProgram, quotedTexts } from './module-imports.ts';
import {
  type Closure,
  type CommitFiles,
  isPattern,
  MAX_FILES,
  type ReachedFile,
  ReachedFiles,
} from './reached-files.ts';
import {
  commandLabel,
  joinPath,
  programFolders,
  SHELL_TEXT,
  type ShellCommand,
  shellCommands,
  UNKNOWN,
} from './shell-commands.ts';

const MAKE = /^(make|gmake|bmake)$/;
const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
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
  await walk.settings();
  return walk.closure();
}

/** Where a text of commands is: its folder, and the steps that lead to it. */
type Position = { folder: string; chain: readonly string[]; isOwn?: boolean };

class Walk {
  readonly #files: CommitFiles;
  readonly #entries: ReadonlySet<string>;
  readonly #targets: ReadonlySet<string>;
  readonly #reached: ReachedFiles;
  readonly #programFolders = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #texts: string[] = [];
  readonly #words = new Set<string>();
  readonly #makeWords: string[] = [];
  readonly #judged = new Set<string>();
  #isOpaque = false;

  constructor(files: CommitFiles, entries: ReadonlySet<string>, targets: ReadonlySet<string>) {
    this.#files = files;
    this.#reached = new ReachedFiles(files);
    this.#entries = entries;
    this.#targets = targets;
  }

  /** Follows every command of a text. */
  async commands(text: string, at: Position): Promise<void> {
    const id = `${at.folder}\n${text}`;
    if (this.#seen.has(id) || this.#seen.size > MAX_FILES) return;
    this.#seen.add(id);
    this.#texts.push(text);
    for (const folder of programFolders(text)) this.#programFolders.add(joinPath(at.folder, folder));
    for (const command of shellCommands(text, at.folder)) {
      for (const word of command.words) this.#words.add(word.split('/').at(-1) ?? '');
      for (const use of usesOf(command)) await this.#use(use, command, at);
      await this.#readData([...command.words.slice(1), ...command.inputs], at);
      if (command.words.some((word) => SCRIPT_RUNNERS.test(word))) await this.#packageScripts(command, at);
      if (command.words.some((word) => MAKE.test(word))) await this.#make(command, at);
    }
  }

  /** Adds what the programs of the checks read because of its name, and follows it. */
  async settings(): Promise<void> {
    for (const path of ownSettings(this.#words, this.#files.paths))
      this.#reached.add(path, { role: 'configuration', chain: [path] });
    await this.drain();
    this.#loaded('package.json', (await this.#files.read('package.json')) ?? '', ['package.json']);
    await this.drain();
  }

  async drain(): Promise<void> {
    for (let next = this.#reached.next(); next !== undefined; next = this.#reached.next()) {
      const [path, found] = next;
      const text = await this.#files.read(path);
      if (text === undefined) this.#isOpaque ||= found.role === 'script';
      else await this.#follow(path, text, found);
    }
  }

  closure(): Closure {
    return {
      find: this.#reached.finder(),
      texts: this.#texts,
      words: this.#words,
      makeWords: this.#makeWords,
      isOpaque: this.#isOpaque,
      judged: this.#judged,
      entries: this.#entries,
      programFolders: this.#programFolders,
    };
  }

  async #follow(path: string, text: string, { role, chain, loadedBy = role }: ReachedFile): Promise<void> {
    const folder = folderOf(path);
    if (role === 'configuration') this.#loaded(path, text, chain);
    if (/\.mk$/i.test(path)) return this.#makefile(path, text, { words: this.#makeWords, chain });
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
        this.#reached.add(file, { role: 'module', chain: [...chain, file], loadedBy });
      if (role === 'script') this.#texts.push(quotedTexts(text).join(' '));
      if (role === 'script' || role === 'configuration') await this.#quoted(text, { folder, chain });
    } else if (role !== 'test') this.#configured(text, { folder, chain });
  }

  /** Files that a program names between quotes: it may start or load them. */
  async #quoted(text: string, at: Position): Promise<void> {
    await this.#readData(quotedTexts(text), at);
    for (const quoted of quotedTexts(text)) {
      if (/\s/.test(quoted)) {
        if (/\b(sh|bash|node|python3?|npm|npx|make|\.\/)/.test(quoted))
          await this.commands(quoted, { ...at, folder: '' });
        continue;
      }
      for (const folder of new Set([at.folder, ''])) {
        const file = this.#reached.existing(joinPath(folder, quoted), /^\.{0,2}\//.test(quoted));
        if (file === undefined) continue;
        const role = /\.(sh|bash|zsh|ksh|mk)$/i.test(file) ? 'script' : 'module';
        if (role === 'script' || isProgram(file))
          this.#reached.add(file, { role, chain: [...at.chain, file], loadedBy: 'script' });
      }
    }
  }

  /** Data that commands or programs name, where it decides what they check. */
  async #readData(names: readonly string[], at: Position): Promise<void> {
    for (const name of new Set(names)) {
      for (const path of new Set([joinPath(at.folder, name), joinPath('', name)])) {
        if (!this.#files.paths.has(path) || this.#targets.has(path) || isProgram(path) || testRule(path) !== undefined)
          continue;
        if (isCheckData(path, (await this.#files.read(path)) ?? '', this.#files.paths))
          this.#reached.add(path, { role: 'configuration', chain: [...at.chain, path] });
      }
    }
  }

  /** Modules and settings that a configuration loads by their names, and that it imports. */
  #loaded(path: string, text: string, chain: readonly string[]): void {
    const folder = folderOf(path);
    const imported = isProgram(path) ? importedFiles(path, text, this.#files.paths) : [];
    const named = loadedNames(path, text).flatMap((name) =>
      [folder, ''].flatMap((from) => this.#reached.existing(joinPath(from, name), true) ?? []),
    );
    for (const file of new Set([...imported, ...named])) {
      const role = roleOfNamed(file);
      const loadedBy = role === 'module' ? ({ loadedBy: 'configuration' } as const) : {};
      if (role !== undefined && file !== path) this.#reached.add(file, { role, chain: [...chain, file], ...loadedBy });
    }
  }

  /** Files that a configuration names: further configuration, or modules that it loads. */
  #configured(text: string, at: Position): void {
    const unquoted = text.split(/[\s,:=[\]{}()]+/).filter((word) => /^\.{0,2}[\w@/-]+\.\w+$|^\.{1,2}\//.test(word));
    for (const name of new Set([...quotedTexts(text), ...unquoted])) {
      const file = this.#reached.existing(joinPath(at.folder, name), /^\.{1,2}\//.test(name));
      if (file === undefined || file === at.chain.at(-1)) continue;
      const role = roleOfNamed(file);
      if (role !== undefined) this.#reached.add(file, { role, chain: [...at.chain, file] });
    }
  }

  async #use({ word, how }: Use, command: ShellCommand, at: Position): Promise<void> {
    const name = how === 'module' ? word.replaceAll('.', '/') : word.replace(new RegExp(`^.*${UNKNOWN}/?`), '');
    if (name === '' || name.includes(UNKNOWN)) return;
    const own = word === name ? [] : [folderOf(at.chain.at(-1) ?? '')];
    for (const folder of new Set([...command.folders, at.folder, ...own])) {
      const path = joinPath(folder, name);
      if (path === '' || (at.isOwn === true && this.#targets.has(path))) continue;
      for (const file of this.#reached.matching(path, how === 'run' || how === 'module'))
        await this.#reachFile(file, how, { command, at });
      if (isPattern(path) && (how === 'run' || how === 'test'))
        this.#reached.addPattern(path, { role: 'test', chain: at.chain });
    }
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
        if (isKnown) this.#reached.add(file, { role: 'test', chain });
        return;
      case 'configuration':
        if (isKnown || /\.\w+$/.test(file)) this.#reached.add(file, { role: 'configuration', chain });
        return;
      case 'compared':
        if (isExpectation(file, isKnown ? command.words : []))
          this.#reached.add(file, { role: 'configuration', chain });
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
        if (!isAbout || !command.isJudged) this.#reached.add(file, { role: isAbout ? 'source' : 'script', chain });
      }
    }
  }

  /** A file that a check would run if it existed. */
  #addUnknown(file: string, how: 'run' | 'module', chain: readonly string[]): void {
    const found: ReachedFile = { role: 'script', chain };
    this.#isOpaque = true;
    // What a check itself starts and the base does not have is what the task is to create, unless its name says that it checks.
    const isGuarded = isCheckLike(file) || (!isProgram(file) && chain.length > 2);
    if (isGuarded || (how === 'module' && !/\.\w+$/.test(file))) this.#reached.addAbsent(file, found);
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
      await this.#makefile(path, text, { words: command.words, chain: at.chain });
    }
  }

  /** Follows the recipes of a makefile and what it includes, also what the base does not have. */
  async #makefile(
    path: string,
    text: string,
    { words, chain }: { words: readonly string[]; chain: readonly string[] },
  ): Promise<void> {
    const folder = folderOf(path);
    const { recipes, includes } = makeCommands(text, words);
    for (const include of includes) {
      for (const from of new Set([folder, ''])) {
        const glob = joinPath(from, include);
        const found: ReachedFile = { role: 'script', chain: [...chain, path] };
        this.#reached.addPattern(glob, found);
        for (const file of this.#reached.matching(glob, false))
          if (this.#files.paths.has(file)) this.#reached.add(file, { ...found, chain: [...found.chain, file] });
      }
    }
    await this.commands(recipes, { folder, chain });
  }
}
