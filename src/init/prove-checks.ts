import { run } from '../process/run.ts';
import type { World } from '../world.ts';
import type { CheckProof } from './init-document.ts';

/** A check that was run once. */
export type ProvenCheck = Omit<CheckProof, 'isUsed'>;

type ProofRequest = {
  root: string;
  checks: readonly { name: string; run: string }[];
  env: NodeJS.ProcessEnv;
  /** Receives a line when a check starts, and again and again while it runs. */
  onProgress(line: string): void;
};

const TIMEOUT_MS = 600_000;
const MAX_LINES = 8;
/** A user may see no gap of more than 5 seconds. */
const PROGRESS_INTERVAL_MS = 4_000;

/** Runs each check once in the checkout, one after the other; the set-up commands are not run. */
export async function proveChecks(
  { root, checks, env, onProgress }: ProofRequest,
  world: World,
): Promise<ProvenCheck[]> {
  const proofs: ProvenCheck[] = [];
  for (const check of checks) {
    using progress = reportProgress(check.run, onProgress, world);
    const { code, signal, stdout, stderr, timedOut } = await run(['/bin/sh', '-c', check.run], {
      cwd: root,
      env: definedOf(env),
      timeoutMs: TIMEOUT_MS,
      onStdout: progress.receive,
      onStderr: progress.receive,
    });
    const result = timedOut ? `no result after ${TIMEOUT_MS / 60_000} minutes` : `exit ${code ?? signal}`;
    const passed = code === 0 && !timedOut;
    proofs.push({ ...check, passed, result, output: passed ? [] : lastLines(`${stdout.toString('utf8')}\n${stderr}`) });
  }
  return proofs;
}

type Progress = Disposable & { receive(chunk: Buffer): void };

/** Reports that a command has started, then how long it has been running, with its last line of output. */
function reportProgress(command: string, onProgress: (line: string) => void, world: World): Progress {
  const startedAt = world.now();
  let lastLine = '';
  let cancelAlarm = () => {};
  const schedule = () => {
    cancelAlarm = world.alarm(world.now() + PROGRESS_INTERVAL_MS, () => {
      const seconds = Math.round((world.now() - startedAt) / 1_000);
      onProgress(`${command} (${seconds}s)${lastLine === '' ? '' : `: ${lastLine}`}`);
      schedule();
    });
  };
  onProgress(`runs ${command}`);
  schedule();
  return {
    receive: (chunk) => {
      lastLine = lastLines(chunk.toString('utf8')).at(-1)?.trim() ?? lastLine;
    },
    [Symbol.dispose]: () => cancelAlarm(),
  };
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(env).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
}

function lastLines(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(-MAX_LINES);
}
