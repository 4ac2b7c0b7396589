import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import type { AgentEvent, AgentExit, AgentReader } from '../agent.ts';
import { exitFailure } from '../exit-failure.ts';
import { parseJsonObject } from '../json-object.ts';
import { tailOfLines } from '../tail-of-lines.ts';
import { AcpLine } from './acp-line.ts';

type Result = Extract<AcpLine, { type: 'result' }>;

/** Translates the lines of the ACP client program; an unknown line becomes an `unknown` event. */
export function acpReader(): AgentReader {
  let usage: Usage = { kind: 'none' };
  let session: string | undefined;
  let ended: Result | { type: 'failure'; failure: Failure } | undefined;
  const errors = tailOfLines();

  const read = (line: AcpLine): AgentEvent[] => {
    switch (line.type) {
      case 'spent':
        usage = line.usage;
        return [];
      case 'failure':
        ended = line;
        return [{ type: 'result', isError: true, text: line.failure.message }];
      case 'usage':
        usage = line.usage;
        return [line];
      case 'session':
        session = line.id;
        return [line];
      case 'result':
        ended = line;
        return [line];
      default:
        return [line];
    }
  };

  return {
    line(file, text) {
      if (file === 'stderr') {
        errors.add(text);
        return [{ type: 'text', text }];
      }
      const parsed = AcpLine.safeParse(parseJsonObject(text));
      return parsed.success ? read(parsed.data) : [{ type: 'unknown', raw: text }];
    },
    usage: () => usage,
    end(exit) {
      const known = session === undefined ? { usage } : { usage, session };
      const failure = ended?.type === 'failure' ? ended.failure : exitOf(exit, ended);
      const evidence = errors.text();
      if (failure !== undefined) {
        const shown = failure.evidence !== undefined || evidence === '' ? failure : { ...failure, evidence };
        return { ...known, text: failure.message, failure: shown };
      }
      if (ended?.type !== 'result') return { ...known, text: '' };
      return { ...known, text: ended.text, ...(ended.output === undefined ? {} : { output: ended.output }) };
    },
  };
}

/** A result counts even if the program was stopped after it; without one the attempt has failed. */
function exitOf(exit: AgentExit, result: Result | undefined): Failure | undefined {
  if (result !== undefined && exit.kind === 'interrupted') return undefined;
  const failure = exitFailure(exit);
  if (failure !== undefined || result !== undefined) return failure;
  return { kind: 'crashed', message: 'It ended without a result' };
}
