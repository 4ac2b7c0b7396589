import { readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { messageOf } from '../../errors.ts';
import { AcpInput } from './acp-input.ts';
import type { AcpLine } from './acp-line.ts';
import { runSession } from './run-session.ts';

const STOPPING = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** Runs one ACP session for one attempt, with its input in a file; returns the exit code. It outlives the engine. */
async function main(inputFile: string): Promise<number> {
  const stopping = new AbortController();
  for (const name of STOPPING) process.on(name, () => stopping.abort());
  try {
    const input = AcpInput.parse(JSON.parse(readFileSync(inputFile, 'utf8')));
    const onErrors = (chunk: Buffer) => void process.stderr.write(chunk);
    const { code, failure } = await runSession(
      input,
      { env: definedVariables(), writeLine, onErrors },
      stopping.signal,
    );
    if (failure !== undefined) writeLine({ type: 'failure', failure });
    return failure !== undefined && stopping.signal.aborted ? 128 + constants.signals.SIGTERM : code;
  } catch (error) {
    writeLine({ type: 'failure', failure: { kind: 'crashed', message: messageOf(error) } });
    return 1;
  }
}

function writeLine(line: AcpLine): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function definedVariables(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

void main(process.argv[2] ?? '').then((code) => {
  process.exitCode = code;
});
