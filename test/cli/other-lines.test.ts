import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { testProgram } from './cli-run.ts';
import { type OtherLine, otherLines } from './other-parsers.ts';

/** Options that say what is the default here. */
const DEFAULTS = [
  ...['dashboard --no-open', 'open-run-folder --no-open', 'init-workspace --no-claude-md', 'write-claude-md --append'],
  ...['prompt-pack --list', 'config --list', 'config -l'],
];

/** Options whose value has another name here. */
const OTHER_VALUES = ['--phase-provider'];

/** A server does not end, and the newest version is asked for: other tests run these. */
const SERVED = ['', ' --open', ' --port 7', ' --port 3001'].map((options) => `manyhands serve${options}`);
SERVED.push('manyhands upgrade --check');

const PLACEHOLDERS: Readonly<Record<string, string>> = {
  '<file>': 'todo.md',
  '<files>': 'src/a.ts',
  '<agents>': 'claude,codex',
};

const folder = mkdtempSync(join(tmpdir(), 'mh-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

beforeAll(() => {
  mkdirSync(join(folder, 'src'));
  const task = { id: 'one', title: 'One', description: 'Do it' };
  const files = {
    'dag.toml': '[tasks.a]\nprompt = "P"\n',
    'tasks.jsonl': '{"target":"src/a.ts","instruction":"x"}\n',
    'tasks.yaml': JSON.stringify({ tasks: [task] }),
    'todo.md': '- [ ] Fix the parser\n',
    'goal.md': 'Fix the parser\n',
    'features.json': '[{"id":"1","category":"a","name":"n","description":"d","steps":["s"],"status":"open"}]',
    'flow.yaml':
      'schema_version: 1\nid: flow\nnodes:\n  review:\n    role: review\n    task: Review it\n    outputs: review_handoff\n',
    'src/a.ts': 'export {};\n',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});

describe('every command line of the other tools', () => {
  it('is accepted here, or is answered with command lines that are, and nothing of it is dropped silently', async () => {
    const lines = otherLines();
    expect(lines.length).toBeGreaterThan(800);
    const wrong: string[] = [];
    const accepted = new Map<string, Promise<boolean>>();
    for (const line of lines) {
      const typed = line.argv.join(' ');
      const answer = await answerTo(line.argv);
      if (answer === undefined) continue;
      for (const use of answer.uses) {
        accepted.set(use, accepted.get(use) ?? isAccepted(use));
        if (!(await accepted.get(use))) wrong.push(`not accepted: ${typed}: ${use}`);
      }
      if (!/manyhands|nothing:/.test(answer.text)) wrong.push(`no answer: ${typed}: ${answer.text}`);
      if (!(await isKept(line, answer))) wrong.push(`dropped: ${typed}: ${answer.text}`);
    }
    expect(wrong).toEqual([]);
  });

  it('is not used for another meaning without a note', async () => {
    const { stderr } = await testProgram({ cwd: folder }).run('review', '-p', '42');
    expect(stderr).toContain('note: -p is --max-parallel; a pull request is named with --pr <number>\n');
  });
});

type Answer = { text: string; uses: string[] };

/** What is printed for a command line; undefined if it is one of ours too. */
async function answerTo(argv: readonly string[]): Promise<Answer | undefined> {
  const { code, stdout, stderr } = await testProgram({ cwd: folder }).run(...argv);
  if (code !== 2) return undefined;
  const printed: string = argv.includes('--json') ? JSON.parse(stdout).error.message : stderr;
  const text = printed.split('\nhint:')[0] ?? '';
  const uses = [...text.matchAll(/(?:Use instead|and): (manyhands .*)$/gm)].map(([, use = '']) => use);
  return { text: text.slice(Math.max(0, text.indexOf('Use instead:'))), uses };
}

/** Whether the real parser and the input of the operation accept a printed command line. */
async function isAccepted(use: string): Promise<boolean> {
  if (/^manyhands (?:serve|upgrade)/.test(use)) return SERVED.includes(use);
  const argv = wordsIn(use)
    .slice(1)
    .map((word) => PLACEHOLDERS[word] ?? word);
  const { code } = await testProgram({ cwd: folder }).run(...argv);
  return code !== 2;
}

/** Whether the option of a line is in its answer: its value, a difference to the answer without it, or its name as not used. */
async function isKept({ argv, alone, option }: OtherLine, { text }: Answer): Promise<boolean> {
  if (option === undefined || DEFAULTS.includes(`${argv[0]} ${option}`)) return true;
  const [used = '', omitted = ''] = text.split('Not used there: ');
  const [name = '', value] = option.split(' ');
  if (
    text.startsWith('error:') ||
    omitted.includes(name) ||
    text.includes(`'${name}`) ||
    used.startsWith('Use instead: nothing:')
  )
    return true;
  if (value !== undefined && !OTHER_VALUES.includes(name)) return used.includes(value);
  return used !== (await answerTo(alone))?.text.split('Not used there: ')[0];
}

function wordsIn(use: string): string[] {
  const words = use.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g);
  return [...words].map(([, double, single, bare]) => double?.replaceAll(/\\(.)/g, '$1') ?? single ?? bare ?? '');
}
