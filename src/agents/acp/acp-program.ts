import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { messageOf } from '../../errors.ts';
import { AcpInput } from './acp-input.ts';
import type { AcpLine } from './acp-line.ts';
import { talk } from './run-session.ts';

const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Speaks with one agent for one attempt, as its order in a file says; returns the exit code. It outlives the engine. */
async function main(orderFile: string): Promise<number> {
  const stopping = new AbortController();
  for (const name of STOPPING) process.on(name, () => stopping.abort());
  try {
    const order = AcpInput.parse(JSON.parse(readFileSync(orderFile, 'utf8')));
    const onErrors = (chunk: Buffer) => void process.stderr.write(chunk);
    const { code, failure } = await talk(order, { env: definedVariables(), tell, onErrors }, stopping.signal);
    if (failure !== undefined) tell({ type: 'failure', failure });
    return failure !== undefined && stopping.signal.aborted ? 128 + constants.signals.SIGTERM : code;
  } catch (error) {
    tell({ type: 'failure', failure: { kind: 'crashed', message: messageOf(error) } });
    return 1;
  }
}

function tell(line: AcpLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function definedVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

process.exitCode = await main(process.argv[2] ?? '');
