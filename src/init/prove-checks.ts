import { run } from '../process/run.ts';
import type { CheckProof } from './init-document.ts';

type ProofRequest = {
  root: string;
  checks: readonly { name: string; run: string }[];
  env: NodeJS.ProcessEnv;
};

const TIMEOUT_MS = 600_000;
const MAX_LINES = 8;

/** Runs each check once in the checkout, one after the other; the set-up commands are not run. */
export async function proveChecks({ root, checks, env }: ProofRequest): Promise<CheckProof[]> {
  const proofs: CheckProof[] = [];
  for (const check of checks) {
    const { code, signal, stdout, stderr, timedOut } = await run(['/bin/sh', '-c', check.run], {
      cwd: root,
      env: definedOf(env),
      timeoutMs: TIMEOUT_MS,
    });
    const result = timedOut ? `no result after ${TIMEOUT_MS / 60_000} minutes` : `exit ${code ?? signal}`;
    const passed = code === 0 && !timedOut;
    proofs.push({ ...check, passed, result, output: passed ? [] : lastLines(`${stdout.toString('utf8')}\n${stderr}`) });
  }
  return proofs;
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
