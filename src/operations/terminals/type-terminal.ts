import { z } from 'zod';
import { TaskRef } from '../find-run.ts';
import { operation } from '../operation.ts';
import { requireTerminal } from './held-terminal.ts';

/** The maximum input of one call; a longer paste is sent in several calls. */
export const MOST_TYPED_BYTES = 64 * 1024;

const Typed = z.base64().max(Math.ceil(MOST_TYPED_BYTES / 3) * 4);

/** Types into the terminal of an attempt. */
export const typeTerminal = operation({
  name: 'type-terminal',
  where: 'living-engine',
  summary: "Type into an interactive agent's terminal",
  http: 'POST /api/runs/{run}/tasks/{task}/terminal/input',
  allow: ['operator'],
  input: z.object({ ...TaskRef, data: Typed.describe('The input bytes, in base64.') }),
  output: z.object({}),
  run: async (app, { data, ...ref }) => {
    await app.terminals.type(await requireTerminal(app, ref), Buffer.from(data, 'base64'));
    return {};
  },
});
