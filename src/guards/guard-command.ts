import { candidateGates, commandText } from '../gates/gate-kinds.ts';
import type { GateSpec } from '../schema/gate.ts';
import { plainPath } from './guard-globs.ts';

/** Runs of these programs read `scripts` of a package.json. */
const SCRIPT_RUNNERS =
  /(^|[\s;&|("'])(npm|pnpm|yarn|bun|npx|corepack|turbo|nx|lerna|wireit|run-s|run-p|npm-run-all)(?=$|[\s;&|)"'])|--run\b/;
/** Scripts that an installation runs by itself. */
const LIFECYCLE =
  /^(pre|post)?(install|prepare|pack|publish|version|dependencies)$|^prepublishOnly$|^(pre|post)?uninstall$/;
/** Commands that test whether a file exists or contains a text of the check itself; files that are compared with, or read for patterns, decide and are excluded. */
const QUESTION =
  /^\s*(!\s*)?(test|\[\[?|ls|stat|wc)\s[^<>$]*$|^\s*(!\s*)?[ef]?grep\s+(-[a-eg-z]*q[a-eg-z]*|--quiet)(?!.*\s-(\w*f|-file))\s[^<>$]*$/;
const INTERPRETERS = /^(node|bun|deno|tsx|ts-node|python[\d.]*|pypy[\d.]*|ruby|perl|php)$/;

/** The text of every command a check runs. */
export function commandTexts(gates: readonly GateSpec[]): string[] {
  return candidateGates(gates).map(commandText);
}

/** Whether every command shows which package scripts it runs; one that goes through make or a shell script does not. */
export function runOnlyScripts(texts: readonly string[]): boolean {
  return texts.every((text) => SCRIPT_RUNNERS.test(text));
}

/** Names of scripts that these commands can come to, through each other, through pre and post, and through an installation. */
export function reachableScripts(scripts: ReadonlyMap<string, string>, texts: readonly string[]): Set<string> {
  const reached = new Set<string>();
  const queue = [...scripts.keys()].filter((name) => LIFECYCLE.test(name));
  const read = (text: string) => queue.push(...namedScripts(text, scripts));
  for (const text of texts) read(text);
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (reached.has(name)) continue;
    reached.add(name);
    for (const around of [`pre${name}`, `post${name}`]) if (scripts.has(around)) queue.push(around);
    read(scripts.get(name) ?? '');
  }
  return reached;
}

/** Whether one of these commands starts the program, directly or through a script runner. */
export function callsProgram(texts: readonly string[], program: string): boolean {
  return texts.some((text) => words(text).some((word) => word === program || word.endsWith(`/${program}`)));
}

/** A question: does one of these commands name this path of the repository as a file it runs or reads? */
export function namedPaths(texts: readonly string[]): (path: string) => boolean {
  const exact = new Set<string>();
  const stems = new Set<string>();
  for (const text of texts) {
    const all = words(withoutQuestions(text));
    const folders = ['', ...foldersEntered(all)];
    all.forEach((word, index) => {
      const isRun = INTERPRETERS.test(all[index - 1] ?? '') || word.includes('/');
      const module = all[index - 1] === '-m' ? word.replaceAll('.', '/') : undefined;
      for (const folder of folders) {
        exact.add(normalized(folder + word));
        if (isRun) stems.add(normalized(folder + word));
        if (module !== undefined) stems.add(normalized(folder + module));
      }
    });
  }
  return (path) => {
    const plain = plainPath(path).toLowerCase();
    return exact.has(plain) || stems.has(stem(plain)) || stems.has(plain.replace(/\/(index|__main__|main)\.\w+$/, ''));
  };
}

function namedScripts(text: string, scripts: ReadonlyMap<string, string>): string[] {
  return words(text).flatMap((word) => {
    if (/^(t|tst|it|cit|install-test)$/.test(word)) return scripts.has('test') ? ['test'] : [];
    if (scripts.has(word)) return [word];
    const start = /^[^*?{[(!+@]*(?=[*?{[(!+@])/.exec(word)?.[0];
    return start === undefined ? [] : [...scripts.keys()].filter((name) => name.startsWith(start));
  });
}

/** The text without its commands that only test whether a file exists or contains something: they run nothing of it. */
function withoutQuestions(text: string): string {
  return text
    .split(/([;&|\n(){}`]+)/)
    .filter((piece) => !QUESTION.test(piece))
    .join(' ');
}

function words(text: string): string[] {
  return text.split(/[\s;&|()<>"'`=,]+/).filter((word) => word !== '');
}

function foldersEntered(all: readonly string[]): string[] {
  return all.flatMap((word, index) =>
    /^(cd|-C|--prefix|--dir|--cwd|pushd)$/.test(word) ? [`${all[index + 1] ?? ''}/`] : [],
  );
}

function normalized(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/').toLowerCase();
}

function stem(path: string): string {
  return path.replace(/\.\w+$/, '');
}
