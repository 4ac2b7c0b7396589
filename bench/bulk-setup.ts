import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { FOLDERS, makeRepository, runTool, sourceFile } from './scratch.ts';
import { type Spent, spentBy } from './spent.ts';
import { deletionEnded, taskEnvironment, writeSandboxMode } from './tasks.ts';
import { tasksByShell } from './tasks-by-shell.ts';

/** A repository, a file of items and an agent that writes one file for each. */
export type BulkSetup = {
  folder: string;
  repository: string;
  agent: string;
  manifest: string;
  items: number;
  parallel: number;
  edits?: boolean;
};

/**
 * `promptBytes`: how long the text of an item is, at least. `edits`: each item changes a file of its own that is there, so
 * that the repository does not grow; else it adds one.
 */
type BulkSize = { items: number; parallel: number; files?: number; promptBytes?: number; edits?: boolean };

const FILES = 100;
/** Without any check a result is unverified, and the user must review it. */
const UNVERIFIED_EXIT = 4;

const Result = z.object({ tasks: z.array(z.object({ status: z.string() })) });

/** The last number of a task's key is the item's: `item/7` here, `implement/1.7` in the shell's script. */
const AGENT = `#!/bin/sh
item=\${MANYHANDS_TASK##*/}
item=\${item##*.}
`;
const ADD_FILE = `mkdir -p items
echo "a line" >>"items/$item.txt"
`;
const EDIT_FILE = `file=$((item - 1))
echo "a line" >>"src/part-$((file % ${FOLDERS}))/file-$file.txt"
`;

/** Prepares everything, so that only the work itself is timed. */
export async function prepareBulk(folder: string, size: BulkSize): Promise<BulkSetup> {
  const repository = join(folder, 'repository');
  await mkdir(repository, { recursive: true });
  await makeRepository(repository, size.files ?? FILES);
  await writeSandboxMode(folder, 'off');
  const lines = Array.from({ length: size.items }, (_, index) => JSON.stringify(itemAt(index + 1, size)));
  const manifest = join(folder, 'items.jsonl');
  await writeFile(manifest, `${lines.join('\n')}\n`);
  const agent = join(folder, 'agent.sh');
  await writeFile(agent, `${AGENT}${size.edits ? EDIT_FILE : ADD_FILE}`, { mode: 0o755 });
  return { folder, repository, agent, manifest, ...size };
}

/** Runs the items with the real program, from the command line to the branch; all of them must land. The options are Node's. */
export async function bulkByManyhands(
  setup: BulkSetup,
  { options = [], env = {} }: { options?: readonly string[]; env?: Record<string, string> } = {},
): Promise<Spent & { deletionMs: number }> {
  const { folder, repository, agent, manifest, items, parallel } = setup;
  const program = join(process.cwd(), 'bin', 'manyhands.mjs');
  const how = ['--agent', `command:${agent}`, '--max-parallel', String(parallel), '--json'];
  const spent = await spentBy([process.execPath, ...options, program, 'run', manifest, ...how], repository, {
    env: { ...taskEnvironment(folder), ...env },
    allow: [UNVERIFIED_EXIT],
  });
  const done = Result.parse(JSON.parse(spent.output)).tasks.filter((task) => task.status === 'done').length;
  if (done !== items) throw new Error(`Only ${done} items of ${items} got done`);
  const deletionMs = await deletionEnded(folder);
  await requireItems(setup, await branchOf(setup));
  return { ...spent, deletionMs };
}

/** The same clones, commits and merges as a shell script with xargs. */
export async function bulkByShell(setup: BulkSetup): Promise<Spent> {
  const { folder, repository, agent, items, parallel } = setup;
  const spent = await tasksByShell({ folder, repository, agent, tasks: items, parallel });
  await requireItems(setup, 'refs/heads/run');
  return spent;
}

/** How long each quarter of the items took, in seconds, by the times at which they were merged. */
export async function landedSeconds(setup: BulkSetup): Promise<number[]> {
  const log = ['git', 'log', '--first-parent', '--reverse', '--format=%ct', await branchOf(setup)];
  const times = (await runTool(log, setup.repository)).trim().split('\n').slice(1).map(Number);
  const at = (share: number) => times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;
  return [0, 0.25, 0.5, 0.75].map((share) => at(share + 0.25) - at(share));
}

function itemAt(number: number, { promptBytes = 0, edits }: BulkSize): { id: string; prompt: string; files: string[] } {
  const file = fileOf(number, edits);
  const line = `Append a line to ${file}`;
  const prompt = [line, ...Array(Math.ceil(promptBytes / line.length)).fill(line)].join('\n');
  return { id: `i${number}`, prompt, files: [file] };
}

function fileOf(number: number, edits = false): string {
  return edits ? sourceFile(number - 1) : `items/${number}.txt`;
}

async function branchOf({ repository }: BulkSetup): Promise<string> {
  const heads = await runTool(['git', 'for-each-ref', '--format=%(refname)', 'refs/heads/mh/*'], repository);
  return heads.split('\n')[0] ?? '';
}

async function requireItems({ repository, items, edits }: BulkSetup, head: string): Promise<void> {
  const changed = await runTool(['git', 'diff-tree', '-r', '--name-only', 'refs/heads/main', head], repository);
  const landed = new Set(changed.split('\n'));
  const lost = Array.from({ length: items }, (_, index) => fileOf(index + 1, edits)).filter(
    (file) => !landed.has(file),
  );
  if (lost.length > 0) throw new Error(`${lost.length} of ${items} items are not on ${head}, such as ${lost[0]}`);
}
