import { open, realpath } from 'node:fs/promises';
import { sep } from 'node:path';
import { z } from 'zod';
import type { TaskState } from '../../core/run/state.ts';
import type { Evidence } from '../../schema/gate.ts';
import { completeKey, findRun, requireTask, TaskRef } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Of a longer output only the end is returned, where the error usually is. */
const MAX_BYTES = 5_000_000;

/** Reads the complete output of a check that did not pass; it is kept, without secrets, until the run is cleaned up. */
export const readCheckOutput = operation({
  name: 'read-check-output',
  where: 'anywhere',
  summary: 'Read the complete output of a check of a task that did not pass',
  http: 'GET /api/runs/{run}/tasks/{task}/check-output',
  allow: ['viewer', 'operator'],
  input: z.object({
    ...TaskRef,
    gate: z.string().describe('The name of the check.'),
    tree: z.string().optional().describe('The checked tree; default: that of the latest result with an output.'),
  }),
  output: z.object({
    text: z.string().nullable().describe('Null where it is not on this machine, or was removed.'),
    cut: z.boolean().describe('The output is longer; this is its end.'),
  }),
  run: async (app, { task, gate, tree, ...ref }) => {
    const state = await findRun(app, ref);
    const found = allEvidence(requireTask(state, completeKey(state, task))).find(
      (each) => each.gate === gate && each.outputFile !== undefined && (tree === undefined || each.tree === tree),
    );
    return (await readEnd(found?.outputFile, app.home.attempts)) ?? { text: null, cut: false };
  },
});

/** The evidence of a task, the latest first. */
function allEvidence({ evidence, earlierEvidence = [], attempts }: TaskState): Evidence[] {
  const ofAttempts = attempts.flatMap(({ ended }) => ended?.evidence ?? []);
  return [...ofAttempts, ...earlierEvidence, ...evidence].toReversed();
}

/** Only a file in the folder of kept outputs is read. */
async function readEnd(file: string | undefined, folder: string): Promise<{ text: string; cut: boolean } | undefined> {
  if (file === undefined) return undefined;
  try {
    if (!(await realpath(file)).startsWith(`${await realpath(folder)}${sep}`)) return undefined;
    await using handle = await open(file, 'r');
    const { size } = await handle.stat();
    const from = Math.max(0, size - MAX_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - from), 0, size - from, from);
    return { text: buffer.subarray(0, bytesRead).toString('utf8'), cut: from > 0 };
  } catch {
    // It was removed, or is on the machine of the server.
    return undefined;
  }
}
