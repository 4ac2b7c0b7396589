import { join } from 'node:path';
import { z } from 'zod';
import type { AgentResult } from '../../agents/agent.ts';
import { fromSystemError } from '../../errors.ts';
import { readPlainText } from '../../git/plain-file.ts';
import { writePrivate } from '../../store/private-file.ts';
import { crashpoint, type World } from '../../world.ts';

const FILE = 'finished.json';
const FinishedResult = z.object({ result: z.unknown(), summary: z.string() });
/** The result that an agent passed to finish_task, and its summary. */
export type FinishedResult = z.infer<typeof FinishedResult>;

/** Keeps the result in the folder of the attempt, until its program has ended; the last one counts. */
export async function keepFinished(folder: string, finished: FinishedResult, world: World): Promise<void> {
  crashpoint('finish.writing');
  await writePrivate(join(folder, FILE), finished, world);
  crashpoint('finish.written');
}

/** The result of an attempt: what its program printed, otherwise what it passed to finish_task. */
export async function withFinished(folder: string, result: AgentResult): Promise<AgentResult> {
  if (result.failure !== undefined || result.output !== undefined) return result;
  const finished = await readFinished(join(folder, FILE));
  if (finished === undefined) return result;
  const text = result.text.trim() === '' ? finished.summary : result.text;
  return { ...result, text, ...(finished.result == null ? {} : { output: finished.result }) };
}

/** What an agent has put in its place is no result. */
async function readFinished(file: string): Promise<FinishedResult | undefined> {
  try {
    return FinishedResult.safeParse(JSON.parse(await readPlainText(file))).data;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw fromSystemError(error, `reading ${file}`);
  }
}
