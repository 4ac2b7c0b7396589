import { execFileSync } from 'node:child_process';
import { namedCommits } from '../../src/core/run/named-commits.ts';
import { RunEvent, type RunEventOf } from '../../src/schema/event.ts';
import { query } from './postgres.ts';

/** What is known about a run of items after its end. */
type Ended = {
  /** The database of the installation. */
  url: string;
  /** The bare repository of the hosts. */
  repository: string;
  /** The repository of the user, which has the branch of the run. */
  project: string;
  run: string;
  /** What agents noted when they began: the attempt, and whether another agent worked on its task. */
  paid: readonly string[];
  /** The numbers of the items that must land, and of those that must fail. */
  landing: readonly number[];
  failing: readonly number[];
};

/** Finds the end of the run. */
export const RUN_ENDED = "SELECT 1 FROM manyhands.events WHERE type = 'run.ended'";

/** Everything in the database and in the repositories that contradicts: each task is done once, and nothing is lost. */
export async function violationsOf(ended: Ended): Promise<string[]> {
  const events = await eventsOf(ended.url, ended.run);
  return [
    ...badEnds(events, ended),
    ...badAttempts(events),
    ...paidTwice(ended.paid),
    ...badFiles(ended),
    ...(await badRows(ended)),
    ...(await leftOrders(ended.url)),
    ...missingCommits(events, ended.repository),
  ];
}

/** Orders and reports are removed with the end of what they are about, whoever led then. */
async function leftOrders(url: string): Promise<string[]> {
  const left = await query(url, 'SELECT id FROM manyhands.orders UNION SELECT id FROM manyhands.reports');
  return left.map(({ id }) => `the order ${id} is left after the run`);
}

/** The commits that an event names and the repository of the hosts does not have, and what is damaged there. */
export async function lostCommits(url: string, repository: string): Promise<string[]> {
  const runs = await query(url, "SELECT DISTINCT stream FROM manyhands.events WHERE stream LIKE 'run/%'");
  const events = await Promise.all(runs.map(({ stream }) => eventsOf(url, String(stream).slice('run/'.length))));
  return missingCommits(events.flat(), repository);
}

function missingCommits(events: readonly RunEvent[], repository: string): string[] {
  const input = `${namedCommits(events).join('\n')}\n`;
  const found = git(repository, ['cat-file', '--batch-check'], input);
  const missing = found.filter((line) => line.endsWith(' missing')).map((line) => line.split(' ')[0]);
  const isDamaged = git(repository, ['fsck', '--connectivity-only']).filter((line) => /missing|broken/.test(line));
  return [...missing.map((commit) => `commit ${commit} is lost`), ...isDamaged];
}

async function eventsOf(url: string, run: string): Promise<RunEvent[]> {
  const rows = await query(url, 'SELECT type, data FROM manyhands.events WHERE stream = $1 ORDER BY position', [
    `run/${run}`,
  ]);
  return rows.map(({ type, data }) => RunEvent.parse({ type, data: JSON.parse(String(data)) }));
}

/** Each task has landed once, or failed once, and never both. */
function badEnds(events: readonly RunEvent[], { landing, failing }: Ended): string[] {
  const keys = ofType(events, 'tasks.added').flatMap(({ data }) => data.specs.map(({ key }) => key));
  const landed = countsOf(ofType(events, 'tasks.landed').flatMap(({ data }) => data.tasks));
  const ended = ofType(events, 'task.ended');
  const failed = countsOf(ended.filter(({ data }) => data.status === 'failed').map(({ data }) => data.task));
  const bad = keys.flatMap((key) => {
    const [lands, fails] = [landed.get(key) ?? 0, failed.get(key) ?? 0];
    return lands + fails === 1 ? [] : [`task ${key} landed ${lands} times and failed ${fails} times`];
  });
  const runEnds = ofType(events, 'run.ended').length;
  return [
    ...bad,
    ...different('tasks', keys.length, landing.length + failing.length),
    ...different('failed tasks', failed.size, failing.length),
    ...different('ends of the run', runEnds, 1),
  ];
}

/** Each attempt has begun once and ended once, and the next one of its task began after its end. */
function badAttempts(events: readonly RunEvent[]): string[] {
  const open = new Map<string, number>();
  const begun = new Set<string>();
  const bad: string[] = [];
  for (const { type, data } of events) {
    if (type !== 'attempt.started' && type !== 'attempt.ended') continue;
    const id = `${data.task} ${data.attempt}`;
    if (type === 'attempt.started') {
      if (begun.has(id)) bad.push(`attempt ${id} started twice`);
      if (open.has(data.task)) bad.push(`attempt ${id} started before ${open.get(data.task)} ended`);
      begun.add(id);
      open.set(data.task, data.attempt);
    } else if (open.get(data.task) === data.attempt) open.delete(data.task);
    else bad.push(`attempt ${id} ended, and did not run`);
  }
  return [...bad, ...[...open].map(([task, attempt]) => `attempt ${task} ${attempt} did not end`)];
}

/** An attempt that an agent began twice, or a task of which two agents ran at once. */
function paidTwice(paid: readonly string[]): string[] {
  const counts = countsOf(paid.map((line) => line.split(' ')[0] ?? ''));
  return [
    ...[...counts].filter(([, count]) => count > 1).map(([attempt, count]) => `${attempt} was paid ${count} times`),
    ...paid.filter((line) => line.endsWith(' together')).map((line) => `two agents worked on one task: ${line}`),
  ];
}

/** The branch of the run has the file of each item that landed, added by one commit, and no other. */
function badFiles({ project, run, landing }: Ended): string[] {
  const added = git(project, ['log', '--format=', '--name-only', '--diff-filter=A', `mh/${run}`, '--', 'made']);
  const counts = countsOf(added);
  const expected = landing.map((number) => `made/${number}.txt`);
  const present = git(project, ['ls-tree', '-r', '--name-only', `mh/${run}`, 'made']);
  return [
    ...expected
      .filter((file) => counts.get(file) !== 1)
      .map((file) => `${file} was added ${counts.get(file) ?? 0} times`),
    ...expected.filter((file) => !present.includes(file)).map((file) => `${file} is not on the branch of the run`),
    ...present.filter((file) => !expected.includes(file)).map((file) => `${file} landed and should not`),
  ];
}

/** Streams have no gaps, nothing waits for a host, and each line that an agent printed is there once. */
async function badRows({ url, landing }: Ended): Promise<string[]> {
  const gaps = await query(url, 'SELECT stream FROM manyhands.events GROUP BY stream HAVING count(*) <> max(version)');
  const waiting = await query(
    url,
    "SELECT 'order ' || id AS what FROM manyhands.orders UNION ALL SELECT 'report about ' || id FROM manyhands.reports",
  );
  const lines = await query(
    url,
    "SELECT attempt, convert_from(text, 'UTF8') AS text FROM manyhands.transcript WHERE convert_from(text, 'UTF8') LIKE 'wrote %'",
  );
  const printed = countsOf(lines.map(({ attempt, text }) => `${attempt}: ${text}`));
  const texts = new Set(lines.map(({ text }) => String(text).trim()));
  return [
    ...gaps.map(({ stream }) => `stream ${stream} has gaps`),
    ...waiting.map(({ what }) => `${what} is left`),
    ...[...printed].filter(([, count]) => count > 1).map(([line, count]) => `"${line}" is there ${count} times`),
    ...landing
      .filter((number) => !texts.has(`wrote made/${number}.txt`))
      .map((number) => `the line of item ${number} is lost`),
  ];
}

function ofType<T extends RunEvent['type']>(events: readonly RunEvent[], type: T): RunEventOf<T>[] {
  // The compiler does not narrow a union by a generic value.
  return events.filter((event) => event.type === type) as RunEventOf<T>[];
}

function different(what: string, actual: number, expected: number): string[] {
  return actual === expected ? [] : [`there are ${actual} ${what} instead of ${expected}`];
}

function countsOf(values: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

function git(repository: string, args: readonly string[], input = ''): string[] {
  const options = { input, encoding: 'utf8', maxBuffer: 2 ** 28, stdio: 'pipe' } as const;
  const output = execFileSync('git', ['-C', repository, ...args], options);
  return output.split('\n').filter(Boolean);
}
