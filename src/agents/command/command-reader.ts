import { z } from 'zod';
import type { Failure } from '../../schema/failure.ts';
import type { Usage } from '../../schema/usage.ts';
import type { AgentExit, AgentReader, AgentResult } from '../agent.ts';
import { exitFailure } from '../exit-failure.ts';
import { parseJsonObject } from '../json-object.ts';
import { tailOfLines } from '../tail-of-lines.ts';

/** The usage that a command may report; an invalid amount makes all of it unknown. */
const ReportedUsage = z.object({
  costUsd: z.number().nonnegative(),
  inputTokens: z.number().int().nonnegative().default(0),
  outputTokens: z.number().int().nonnegative().default(0),
});

/** Reads a plain program: every line is text, and only the last non-empty line of stdout may be a structured result. */
export function commandReader(): AgentReader {
  const earlier = tailOfLines();
  const errors = tailOfLines();
  let last = '';
  return {
    line(file, text) {
      if (file === 'stderr') errors.add(text);
      else if (text.trim() !== '') {
        if (last !== '') earlier.add(last);
        last = text;
      }
      return [{ type: 'text', text }];
    },
    usage: () => usageIn(parseJsonObject(last)),
    end(exit) {
      const final = parseJsonObject(last);
      if (final === undefined && last !== '') earlier.add(last);
      return resultOf({ exit, final, text: earlier.text(), errors: errors.text() });
    },
  };
}

type Ended = { exit: AgentExit; final: Record<string, unknown> | undefined; text: string; errors: string };

function resultOf({ exit, final, text, errors }: Ended): AgentResult {
  const usage = usageIn(final);
  const failure = exitFailure(exit);
  if (failure !== undefined) return { usage, text, failure: withEvidence(failure, errors || text) };
  const output = outputIn(final);
  return output === undefined ? { usage, text } : { usage, text, output };
}

function usageIn(final: Record<string, unknown> | undefined): Usage {
  const reported = final?.usage;
  if (typeof reported !== 'object' || reported === null) return { kind: 'none' };
  const parsed = ReportedUsage.safeParse(reported);
  return parsed.success ? { kind: 'known', ...parsed.data, cachedTokens: 0, turns: 1 } : { kind: 'unknown' };
}

function outputIn(final: Record<string, unknown> | undefined): unknown {
  if (final === undefined || typeof final.usage !== 'object' || final.usage === null) return final;
  const { usage: _, ...output } = final;
  return Object.keys(output).length === 0 ? undefined : output;
}

function withEvidence(failure: Failure, evidence: string): Failure {
  return evidence === '' ? failure : { ...failure, evidence };
}
