import type { Usage } from '../schema/usage.ts';
import type { AgentReader } from './agent.ts';
import { exitFailure } from './exit-failure.ts';
import { tailOfLines } from './tail-of-lines.ts';

export type InteractiveReading = {
  /** What it consumed, which its terminal does not tell. */
  usage: Usage;
  /** The session that it was started with, if it can be resumed. */
  session?: string;
  /** Exit codes besides 0 with which it ends when a person quits it. */
  quits?: readonly number[];
};

/** Reads what a terminal showed: nothing in it is structured, so only the exit code says how it ended. */
export function interactiveReader({ usage, session, quits = [] }: InteractiveReading): AgentReader {
  const said = tailOfLines();
  return {
    line(_, text) {
      said.add(text);
      return [{ type: 'terminal', text }];
    },
    usage: () => usage,
    end(exit) {
      const isQuit = exit.kind === 'exited' && quits.includes(exit.code);
      const failure = isQuit ? undefined : exitFailure(exit);
      return {
        usage,
        text: said.text(),
        ...(session === undefined ? {} : { session }),
        ...(failure === undefined ? {} : { failure }),
      };
    },
  };
}
