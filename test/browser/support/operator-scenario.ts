import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { projectId } from '../../../src/git/read/repository.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import { openSqliteStore } from '../../../src/store/sqlite/open.ts';
import { realWorld } from '../../../src/world.ts';
import { bigRunHistory, storeHistory } from '../../support/big-run.ts';
import { added, attemptEnded, attempted, failure, spec, started, taskEnded } from '../../support/given.ts';
import { type Scratch, writeFiles } from '../../support/scratch.ts';

/** It changes the script of the check, which the guard holds for a person. */
const HELD = "#!/bin/sh\nprintf 'exit 0 # changed\\n' > check.sh\necho made > made.txt\n";
/** It works until the file `go` exists. */
const WORKING =
  '#!/bin/sh\necho "Reading the code"\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\necho done > made.txt\n';
/** One task of many changes the check; the others work until the file `go` exists. */
const MIXED =
  '#!/bin/sh\nif grep -q "Part 1 of 60"; then echo "exit 0 # changed" > check.sh; exit; fi\necho "Reading the code"\nwhile [ ! -e "$HOME/go" ]; do sleep 0.2; done\n';
const ASKING = `plays:
  - role: implement
    attempt: 1
    steps:
      - tool: { name: ask_user, with: { question: 'Which colour?', options: [red, blue], seconds: 0 } }
`;
const SIXTY = `tasks:\n${Array.from({ length: 60 }, (_, index) => {
  const title = `Part ${index + 1} of 60`;
  return `  - { id: p${index + 1}, title: ${title}, description: ${title} }\n`;
}).join('')}`;

/** The files of each of the three projects. */
export const OPERATOR_FILES: Record<string, string> = {
  'readme.md': '# A project\n',
  'check.sh': 'exit 0\n',
  'held.sh': HELD,
  'working.sh': WORKING,
  'mixed.sh': MIXED,
  'asking.yaml': ASKING,
  'sixty.yaml': SIXTY,
};

const HOUR_MS = 3_600_000;
const BROKEN = failure('tests', 'one test of nine fails');

/** Three projects: that of the scratch, and two beside it. */
export type Projects = { shop: string; forge: string; docs: string };

/** Makes the other projects, and the runs that ended before the server starts: a large one, one partly done, one failed. */
export async function storeEndedRuns(scratch: Scratch, largest: number): Promise<Projects> {
  const projects = { shop: scratch.repo, forge: makeProject(scratch, 'forge'), docs: makeProject(scratch, 'docs') };
  const now = realWorld.now();
  await scratch.mh(['ls']);
  await using store = await openSqliteStore({ file: join(scratch.home, 'manyhands.db'), world: realWorld });
  const large = { run: 'b0000001', tasks: largest, root: projects.docs, project: idOf(projects.docs) };
  await storeHistory(store, large.run, bigRunHistory(large, now - 48 * HOUR_MS));
  for (const [run, title, status, root] of [
    ['b0000003', 'Partly done', 'partial', projects.shop],
    ['b0000004', 'All failed', 'failed', projects.forge],
  ] as const)
    await storeHistory(store, run, [{ at: now - HOUR_MS, events: endedEvents({ run, title, status, root }) }]);
  return projects;
}

/** Starts the nine open runs: held, waiting for approval, asking, at work, scheduled, and one of 60 tasks of which one is held. */
export async function startOpenRuns(scratch: Scratch, { shop, forge, docs }: Projects): Promise<void> {
  const start = async (cwd: string, args: readonly string[]) => {
    const { code, stderr } = await scratch.mh([...args, '--detach'], { cwd });
    if (code !== 0) throw new Error(`${args.join(' ')}: ${stderr}`);
  };
  const agent = (name: string) => ['--agent', `command:./${name}.sh`];
  const check = ['--check', 'sh check.sh'];
  await start(shop, ['job', 'Change the check', '--write', ...agent('held'), ...check]);
  await start(forge, ['do', 'Offer gift cards', '--rehearse', '--plan-only']);
  await start(forge, ['job', 'Paint it', '--write', '--rehearse', '--scenario', 'asking.yaml']);
  await start(docs, ['job', 'Write the news', '--rehearse', '--at', '+2h']);
  const most = ['--title', 'Sixty parts', '--max-parallel', '2'];
  await start(docs, ['run', 'sixty.yaml', ...agent('mixed'), ...check, ...most]);
  for (const [cwd, title] of [
    [docs, 'Read the code'],
    [shop, 'Read more'],
    [shop, 'Read on'],
    [forge, 'Read again'],
  ] as const)
    await start(cwd, ['job', title, '--write', ...agent('working')]);
}

function makeProject({ root }: Scratch, name: string): string {
  const dir = join(root, name);
  mkdirSync(dir);
  writeFiles(dir, OPERATOR_FILES);
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ann', '-c', 'user.email=ann@example.org', ...args], { cwd: dir });
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=Start');
  return dir;
}

function idOf(root: string): string {
  return projectId({ commonDir: join(root, '.git') });
}

type Ended = { run: string; title: string; status: 'partial' | 'failed'; root: string };

function endedEvents({ run, title, status, root }: Ended): RunEvent[] {
  const isGood = status === 'partial';
  const commit = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim();
  return [
    started({ run, title, project: { id: idOf(root), root }, base: { branch: 'main', commit } }),
    added(spec('a'), spec('b')),
    attempted('a'),
    attemptEnded('a', 1, isGood ? {} : { failure: BROKEN }),
    isGood ? taskEnded('a', 'done') : failedTask('a'),
    attempted('b'),
    attemptEnded('b', 1, { failure: BROKEN }),
    failedTask('b'),
    {
      type: 'run.ended',
      data: { status, reason: '1 of 2 tasks failed', spend: { costUsd: 1, tokens: 0, turns: 0 } },
    },
  ];
}

function failedTask(task: string): RunEvent {
  return { type: 'task.ended', data: { task, status: 'failed', reason: 'one test of nine fails', failure: BROKEN } };
}
