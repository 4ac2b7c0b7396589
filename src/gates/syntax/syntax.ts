import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { globMatcher } from '../../core/policy/path-glob.ts';
import { messageOf } from '../../errors.ts';
import { readBlobs } from '../../git/read/read-blobs.ts';
import { changedBlobs } from '../../git/read/touched.ts';
import type { GateSpec, Verdict } from '../../schema/gate.ts';
import { realWorld } from '../../world.ts';
import { type AttemptWork, type Gate, type GateInput, type GateResult, noWork } from '../gate.ts';
import { shownPath } from '../shown-path.ts';
import { parserFor } from './syntax-parsers.ts';
import { type Checked, checkWith, customProgram, type FileCopy, programFor } from './syntax-programs.ts';

type SyntaxSpec = Extract<GateSpec, { gate: 'syntax' }>;
type Program = NonNullable<ReturnType<typeof programFor>>;

/** Longer files are data; parsing one here would keep everybody waiting. */
const MAX_BYTES = 2_000_000;
const SHOWN = 30;
/** What has no syntax that could be wrong. */
const FREE_TEXT =
  /\.(md|markdown|txt|rst|adoc|csv|tsv|log|diff|patch|snap|lock|sum|pem|crt|png|jpe?g|gif|webp|avif|ico|bmp|pdf|woff2?|ttf|otf|eot|mp[34]|wav|ogg|webm|zip|gz|wasm)$|(^|\/)(LICENSE|NOTICE|CHANGELOG|AUTHORS|CODEOWNERS|README)$|(^|\/)\.(gitignore|gitattributes|dockerignore|npmignore|gitkeep|keep|nvmrc|editorconfig)$/i;

/**
 * Fails when a changed file is not correct text of its language, by a parser or the language's own checker, which read it
 * and never run it. What nothing here can check is named; the spec decides whether that is left to a person.
 */
export const syntaxGate: Gate<SyntaxSpec> = {
  name: 'syntax',
  async check(spec, input) {
    input.signal.throwIfAborted();
    const { work, signal } = input;
    if (work === undefined) return noWork();
    const startedAt = realWorld.now();
    await mkdir(input.folder, { recursive: true, mode: 0o700 });
    try {
      const checked = await checkFiles(spec, { ...input, work });
      signal.throwIfAborted();
      return { ...judge(spec, checked), durationMs: Math.max(0, realWorld.now() - startedAt) };
    } finally {
      await rm(input.folder, { recursive: true, force: true });
    }
  },
};

type Input = GateInput & { work: AttemptWork };

async function checkFiles(spec: SyntaxSpec, { work, folder, env, contain, signal }: Input): Promise<Checked[]> {
  const customFor = customsOf(spec);
  const matches = spec.files.length === 0 ? () => true : globMatcher(spec.files, 'exact');
  const changed = await changedBlobs(work.mirror, { from: work.base, to: work.commit }, signal);
  const files = changed.filter(({ path }) => matches(path) && (!FREE_TEXT.test(path) || customFor(path) !== undefined));
  const oids = files.map(({ oid }) => oid);
  const checked: Checked[] = [];
  const waiting = new Map<Program, FileCopy[]>();
  let at = 0;
  for await (const content of readBlobs(work.mirror, { oids, maxBytes: MAX_BYTES }, signal)) {
    const path = files[at]?.path ?? '';
    at += 1;
    const found = content === undefined ? tooLong(path) : await check(path, content, customFor(path));
    if ('path' in found) checked.push(found);
    else if (content !== undefined) {
      const copy = await writeCopy(join(folder, String(at)), path, content);
      waiting.set(found.program, [...(waiting.get(found.program) ?? []), { path, copy }]);
    }
  }
  for (const [program, copies] of waiting)
    checked.push(...(await checkWith(program, copies, { env, cwd: folder, contain, signal })));
  return checked;
}

async function check(
  path: string,
  content: Buffer,
  custom: Program | undefined,
): Promise<Checked | { program: Program }> {
  if (custom !== undefined) return { program: custom };
  if (content.includes(0)) return { path, unchecked: 'is binary' };
  const text = content.toString('utf8');
  const parse = parserFor(path);
  if (parse === undefined) {
    const program = programFor(path, text.slice(0, text.indexOf('\n') + 1 || undefined));
    return program === undefined ? { path, unchecked: 'nothing here can check it' } : { program };
  }
  try {
    const issue = await parse(text, path);
    if (issue === 'template') return { path, unchecked: 'is a template' };
    return issue === undefined ? { path } : { path, issue };
  } catch (error) {
    // A text nested deeper than the stack counts as wrong.
    return { path, issue: { line: undefined, message: `cannot be parsed: ${messageOf(error)}` } };
  }
}

/** The settings' own checkers; each is one program, so that its files are checked together. */
function customsOf(spec: SyntaxSpec): (path: string) => Program | undefined {
  const programs = Object.entries(spec.checkers).map(([ending, command]) => ({
    ending,
    program: customProgram(command),
  }));
  return (path) => programs.find(({ ending }) => path.endsWith(ending))?.program;
}

function tooLong(path: string): Checked {
  return { path, unchecked: `is longer than ${MAX_BYTES / 1_000_000} MB` };
}

/** Under its own name where that can do no harm in a command. */
async function writeCopy(folder: string, path: string, content: Buffer): Promise<string> {
  const name = basename(path);
  const ending = /\.[A-Za-z0-9]{1,10}$/.exec(name)?.[0] ?? '';
  const copy = join(folder, /^\w[\w.-]{0,100}$/.test(name) ? name : `file${ending}`);
  await mkdir(folder, { mode: 0o700 });
  await writeFile(copy, content, { mode: 0o600 });
  return copy;
}

function judge(spec: SyntaxSpec, checked: readonly Checked[]): Omit<GateResult, 'durationMs'> {
  const wrong = checked.filter(({ issue }) => issue !== undefined);
  const unchecked = checked.filter((file) => file.unchecked !== undefined);
  const isHeld = spec.unchecked === 'hold' && unchecked.length > 0;
  const verdict: Verdict = wrong.length > 0 ? 'fail' : isHeld ? 'held' : 'pass';
  const lines = [
    ...wrong.slice(0, SHOWN).map(issueText),
    ...unchecked.slice(0, SHOWN).map((file) => `${shownPath(file.path)}: not checked, ${file.unchecked}`),
  ];
  return {
    verdict,
    summary: summaryOf({ wrong, unchecked, correct: checked.length - wrong.length - unchecked.length }),
    exitCode: null,
    setup: '',
    ...(lines.length === 0 ? {} : { output: lines.join('\n') }),
  };
}

function summaryOf(found: { wrong: Checked[]; unchecked: Checked[]; correct: number }): string {
  const [first] = found.wrong;
  const more = found.wrong.length > 1 ? `, and ${found.wrong.length - 1} more files` : '';
  if (first !== undefined) return `${issueText(first)}${more}`;
  const apart = found.unchecked.length === 0 ? '' : `, ${found.unchecked.length} not checked`;
  return `${found.correct} ${found.correct === 1 ? 'file' : 'files'} correct${apart}`;
}

function issueText({ path, issue }: Checked): string {
  const line = issue?.line === undefined ? '' : `:${issue.line}`;
  return `${shownPath(path)}${line}: ${shownPath(issue?.message ?? '')}`;
}
