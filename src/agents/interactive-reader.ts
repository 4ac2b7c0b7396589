import type { Usage } from '../schema/usage.ts';
import type { AgentReader } from './agent.ts';
import { exitFailure } from './exit-failure.ts';
import { tailOfLines } from './tail-of-lines.ts';

export type InteractiveReaderOptions = {
  /** Its usage, which its terminal does not report. */
  usage: Usage;
  /** The session that it was started with, if it can be resumed. */
  session?: string;
  /** Exit codes besides 0 that mean that the user quit it. */
  quitCodes?: readonly number[];
};

/** Reads a terminal's output, which is unstructured, so only the exit code says how it ended. */
export function interactiveReader({ usage, session, quitCodes = [] }: InteractiveReaderOptions): AgentReader {
  const tail = tailOfLines();
  return {
    line(_, text) {
      tail.add(text);
      return [{ type: 'terminal', text }];
    },
    usage: () => usage,
    end(exit) {
      const isQuit = exit.kind === 'exited' && quitCodes.includes(exit.code);
      const failure = isQuit ? undefined : exitFailure(exit);
      return {
        usage,
        text: tail.text(),
        ...(session === undefined ? {} : { session }),
        ...(failure === undefined ? {} : { failure }),
      };
    },
  };
}
