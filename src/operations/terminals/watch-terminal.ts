import { z } from 'zod';
import type { TerminalOutput } from '../../access/attempt-terminals.ts';
import { TaskRef } from '../find-run.ts';
import { stream } from '../operation.ts';
import { waitForTerminal } from './held-terminal.ts';

/** A piece of a terminal's output. The first one has the current screen (`reset`), unless `after` could be resumed. */
const TerminalItem = z.union([
  z.object({
    offset: z.number().int().nonnegative().describe('The end of this piece; pass it as `after` to continue.'),
    data: z.string().describe('The output of the program, in base64.'),
    reset: z.literal(true).optional().describe('It replaces all previous output: clear the screen first.'),
    columns: z.number().int().optional(),
    rows: z.number().int().optional(),
  }),
  z.object({ ended: z.literal(true) }),
]);

/** Follows the terminal of an attempt until it ends; waits for one that is about to start. */
export const watchTerminal = stream({
  name: 'watch-terminal',
  where: 'anywhere',
  summary: "Watch an interactive agent's terminal",
  http: 'GET /api/runs/{run}/tasks/{task}/terminal',
  allow: ['viewer', 'operator'],
  input: z.object({
    ...TaskRef,
    after: z.number().int().nonnegative().optional().describe('The last offset received.'),
  }),
  output: TerminalItem,
  cursor: 'offset',
  async *run(app, { after, ...ref }, { signal }) {
    const held = await waitForTerminal(app, ref, signal);
    for await (const piece of app.terminals.watch(held, after, signal)) yield [itemOf(piece)];
    if (!signal.aborted) yield [{ ended: true as const }];
  },
});

function itemOf({ offset, data, reset, size }: TerminalOutput): z.infer<typeof TerminalItem> {
  return { offset, data: data.toString('base64'), ...(reset === undefined ? {} : { reset }), ...size };
}
