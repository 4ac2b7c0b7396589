import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import type { AgentEvent } from '../../../src/agents/agent.ts';
import { ASSISTANTS } from '../../../src/mcp/install/assistants.ts';
import type { Script, Step } from '../model-server/step.ts';
import { closedAddress, type ModelServer } from '../model-server.ts';
import { ofType } from '../of-type.ts';
import { makeSandbox, type Sandbox } from '../sandbox.ts';
import type { RunHooks } from '../support.ts';
import type { CaseRunner } from './case-runner.ts';
import type { Case, FaultCase } from './cases.ts';
import { FAULTS } from './cases.ts';
import { type Cell, expectOutcome } from './cell.ts';
import { signalled } from './signalled.ts';

/** Drives a program through a case and holds it to what the cell says. */
type Proof = (runner: CaseRunner, cell: Cell, server: ModelServer) => Promise<void>;

const MCP_SERVER = fileURLToPath(new URL('../../fixtures/agents/mcp-server.mjs', import.meta.url));
const SCHEMA = { type: 'object', properties: { answer: { type: 'number' } }, required: ['answer'] };
const COMMIT = 'git add -A && git commit -qm scripted';
/** Longer than a program that goes on would be silent once its model was asked. */
const SILENT_MS = 6_000;
/** How long a program waits for a model that says nothing, where it can be told. */
const IMPATIENT_MS = 1_500;
const AT_ONCE = 8;

/** How each case is proven. */
export const PROOFS: Record<Case, Proof> = {
  'edit and commit': async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const script = [runner.write(sandbox, 'a.txt'), runner.run(COMMIT), { say: 'It is committed.' }];
    const run = await runner.runCase(sandbox, { script });
    expectOutcome(run, cell);
    expect(sandbox.git('log', '--format=%s')).toBe('scripted\nStart');
    expect(sandbox.git('show', '--name-only', '--format=')).toBe('a.txt');
    expect(ofType(run, 'file-change')).toMatchObject([{ path: 'a.txt' }]);
    expect(ofType(run, 'tool-call').length).toBeGreaterThan(0);
    expect(run.result).toMatchObject({ text: 'It is committed.', usage: { kind: 'known' } });
    expect(run.leftBehind).toBe(0);
  },

  'structured output': async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const more = { access: 'read', outputSchema: SCHEMA } as const;
    const run = await runner.runCase(sandbox, { script: [runner.answer({ answer: 42 })], more });
    expectOutcome(run, cell);
    expect(run.result.output).toEqual({ answer: 42 });
  },

  resume: async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const first = await runner.runCase(sandbox, { script: [{ say: 'The word is swordfish.' }] });
    const { session } = first.result;
    if (session === undefined) throw new Error(`It has no session: ${JSON.stringify(first.result)}`);
    await runner.beforeResume?.(sandbox.home);
    const run = await runner.runCase(sandbox, { script: [{ say: 'Still here.' }], more: { number: 2, session } });
    expectOutcome(run, cell);
    expect(JSON.stringify(run.requests[0]?.body)).toContain('The word is swordfish.');
    expect(run.result).toMatchObject({ text: 'Still here.', session });
  },

  'MCP tool call': async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const mcp = { notes: { command: process.execPath, args: [MCP_SERVER], env: {} } };
    const started = addUserServers(sandbox);
    const script = [runner.tool('notes', 'report_status', { status: 'well' }), { say: 'Reported.' }];
    const run = await runner.runCase(sandbox, { script, settings: { mcp } });
    expectOutcome(run, cell);
    expect(JSON.stringify(run.requests.at(-1)?.body)).toContain('reported well');
    expect(run.result.text).toBe('Reported.');
    // The user's own servers, such as ours for their assistant, are not started.
    expect(existsSync(started)).toBe(false);
  },

  'permission denial': async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const { step, file, more } = runner.forbidden(sandbox);
    const run = await runner.runCase(sandbox, { script: [step, { say: 'I could not.' }], ...more });
    expectOutcome(run, cell);
    expect(existsSync(file)).toBe(false);
    expect(sandbox.git('status', '--porcelain')).toBe('');
    expect(ofType(run, 'permission-denied')).toHaveLength(cell.cannot === undefined ? 1 : 0);
  },

  'eight in parallel': async (runner, cell, server) => {
    const runs = Array.from({ length: AT_ONCE }, async () => {
      await using sandbox = await makeSandbox(server);
      const script = [runner.write(sandbox, 'a.txt'), runner.run(COMMIT)];
      const run = await runner.runCase(sandbox, { script });
      return { run, log: sandbox.git('log', '--format=%s') };
    });
    for (const { run, log } of await Promise.all(runs)) {
      expectOutcome(run, cell);
      expect(log).toBe('scripted\nStart');
    }
  },

  ...faultProofs(),

  'connection refused': async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const begun = Promise.withResolvers<void>();
    const onEvent = ({ type }: AgentEvent) => {
      if (type === 'session') begun.resolve();
    };
    const hooks = { onEvent, ...silence(cell, begun.promise) };
    const run = await runner.runCase(sandbox, { script: [], base: await closedAddress(), hooks });
    expectOutcome(run, cell);
    expect(run.requests).toEqual([]);
  },

  hang: async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const { script, requests } = answering({ fault: { kind: 'silence' } });
    const run = await runner.runCase(sandbox, { script, hooks: silence(cell, requests), waitMs: 600_000 });
    expectOutcome(run, cell);
    expect(run.requests).toHaveLength(1);
  },

  'SIGTERM with children': async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const run = await signalled(runner, sandbox, { signal: 'SIGTERM', choose: (lineage) => lineage[0] });
    expectOutcome(run, cell);
    expect(run.leftover).toEqual([]);
  },

  'SIGKILL with children': async (runner, cell, server) => {
    await using sandbox = await makeSandbox(server);
    const choose = (lineage: readonly { pid: number; parent: number; command: string }[]) => lineage[runner.between];
    const run = await signalled(runner, sandbox, { signal: 'SIGKILL', choose });
    expectOutcome(run, cell);
    expect(run.leftover).toEqual([]);
  },
};

/** Adds a server to the user's settings of every program, as `manyhands mcp install` does; it makes a file when it is started. */
function addUserServers({ root, env }: Sandbox): string {
  const started = join(root, 'user-server-started');
  const args = ['-e', `require('node:fs').writeFileSync(${JSON.stringify(started)}, '')`];
  for (const assistant of ASSISTANTS) {
    const file = assistant.file(env);
    mkdirSync(dirname(file), { recursive: true });
    const text = existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    writeFileSync(file, assistant.write(text, { command: process.execPath, args, env: {} }));
  }
  return started;
}

function faultProofs(): Record<FaultCase, Proof> {
  const proof =
    (name: FaultCase): Proof =>
    async (runner, cell, server) => {
      await using sandbox = await makeSandbox(server);
      const step: Step = FAULTS[name];
      const { script, requests } = answering(step);
      const retries = name === '429 once' ? 1 : 0;
      const isSilent = step.fault?.kind === 'silence' || step.fault?.kind === 'stall';
      const backoff = isSilent ? { waitMs: IMPATIENT_MS } : {};
      const run = await runner.runCase(sandbox, { script, retries, hooks: silence(cell, requests), ...backoff });
      expectOutcome(run, cell);
      expect(run.requests.length).toBeGreaterThan(0);
      const isRefused = step.fault?.kind === 'refusal' || step.fault?.kind === 'status';
      if (isRefused && cell.outcome === 'fails') expect(run.result.usage).toEqual({ kind: runner.refusalUsage });
    };
  return {
    '429 once': proof('429 once'),
    '429': proof('429'),
    '429 for an hour': proof('429 for an hour'),
    'usage limit': proof('usage limit'),
    overloaded: proof('overloaded'),
    '529': proof('529'),
    '500': proof('500'),
    '401': proof('401'),
    '403': proof('403'),
    '404 of the model': proof('404 of the model'),
    'no credit': proof('no credit'),
    'context too long': proof('context too long'),
    'no bytes at all': proof('no bytes at all'),
    'headers, then silence': proof('headers, then silence'),
    'cut stream': proof('cut stream'),
    'malformed stream': proof('malformed stream'),
    'empty stream': proof('empty stream'),
    'page of HTML': proof('page of HTML'),
    'error in the stream': proof('error in the stream'),
    'answer cut at its longest': proof('answer cut at its longest'),
  };
}

/** The same answer to whatever is asked, and the moment at which something was. */
function answering(step: Step): { script: Script; requests: Promise<void> } {
  const requests = Promise.withResolvers<void>();
  const script = () => {
    requests.resolve();
    return step;
  };
  return { script, requests: requests.promise };
}

/** Our watchdog waits only for seconds, but not before the program has got as far as its model. */
function silence({ outcome }: Cell, from: Promise<void>): RunHooks {
  return outcome === 'is stopped' ? { silence: { from, inactivityMs: SILENT_MS } } : {};
}
