import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { codexProvider } from './invocations.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const PLAN = {
  tasks: [
    { id: 'add', title: 'Write add', description: 'Make add.txt', needs: [] },
    { id: 'sub', title: 'Write sub', description: 'Make sub.txt', needs: [] },
  ],
};
const SAMPLE = fileURLToPath(new URL('../../examples/demo/shop', import.meta.url));
const CLEAN = { findings: [], summary: 'It is fine.' };
const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** Claude plans and reviews: its answer is the structured output that the role asks for. */
function planner(request: RecordedRequest): Step {
  if (!request.tools.includes('StructuredOutput')) return { say: 'Done.' };
  if (request.turn > 0) return { say: 'Done.' };
  const output = /Make the sums|Plan/.test(request.lastUser) && !/git diff/.test(request.lastUser) ? PLAN : CLEAN;
  return { call: [{ name: 'StructuredOutput', args: output }] };
}

/** Codex implements: one file by its title, then it says so. */
function implementer(request: RecordedRequest): Step {
  const name = /Write (add|sub)/.exec(request.prompt)?.[1] ?? 'none';
  if (request.turn > 0) return { say: `${name} is there.` };
  return {
    call: [{ name: 'apply_patch', input: `*** Begin Patch\n*** Add File: ${name}.txt\n+${name}\n*** End Patch\n` }],
  };
}

/** The files of the sample repository, which has tests of its own. */
function sample(): Record<string, string> {
  const entries = readdirSync(SAMPLE, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  return Object.fromEntries(paths.map((path) => [relative(SAMPLE, path), readFileSync(path, 'utf8')]));
}

await describeWith(['claude', 'codex'], 'a goal with real agents', (path) => {
  let runs = 0;

  async function makeProject(
    slowly: boolean,
  ): Promise<{ scratch: Scratch; env: Record<string, string>; names: string[] }> {
    runs += 1;
    const names = [`run-claude-${runs}`, `run-codex-${runs}`];
    const claude = server.scenario(names[0] ?? '', planner);
    const codex = server.scenario(names[1] ?? '', (request) => ({
      ...implementer(request),
      ...(slowly && request.turn === 0 ? { delayMs: 4_000 } : {}),
    }));
    const config = {
      agents: {
        claude: {
          kind: 'claude',
          command: path('claude'),
          env: { IS_SANDBOX: '1', ...server.proxyEnv },
          model: 'claude-sonnet-4-5',
        },
        codex: {
          kind: 'codex',
          command: path('codex'),
          args: codexProvider(codex),
          env: { SCRIPTED_KEY: 'test-key', ...server.proxyEnv },
          model: 'gpt-5.5',
        },
      },
      routing: { order: ['claude', 'codex'], prefer: { implement: ['codex'] }, fallback: false },
      checks: ['node --test'],
      limits: { attempts: 1, retryDelaySeconds: 0 },
    };
    const scratch = await makeScratch({
      parent: HOMES,
      files: { ...sample(), '.manyhands/config.yaml': JSON.stringify(config) },
    });
    return {
      scratch,
      names,
      env: { ANTHROPIC_BASE_URL: claude, ANTHROPIC_API_KEY: 'test-key', CODEX_API_KEY: 'test-key' },
    };
  }

  it('is planned and reviewed by Claude, implemented by Codex, and lands', async () => {
    const { scratch, env } = await makeProject(false);
    await using project = scratch;
    const ended = await project.mh(['do', 'Make the sums', '--json'], { env });
    const run = RunDocument.parse(ended.json);
    expect(
      run.tasks.map(({ key, status, agent }) => [key, status, agent]),
      ended.stderr,
    ).toEqual([
      ['plan/1', 'done', 'claude'],
      ['implement/1.1', 'done', 'codex'],
      ['implement/1.2', 'done', 'codex'],
      ['review/1', 'done', 'claude'],
    ]);
    expect([ended.code, run.status]).toEqual([0, 'done']);
    expect(project.git('ls-tree', '--name-only', `mh/${run.run}`).split('\n')).toEqual(
      expect.arrayContaining(['add.txt', 'sub.txt']),
    );
    expect(run.cost).toBeGreaterThan(0);
    expect(await project.leftovers()).toEqual([]);
  });

  it('continues after the engine was killed, and calls no model twice', async () => {
    const { scratch, env, names } = await makeProject(true);
    await using project = scratch;
    const first = project.start(['do', 'Make the sums', '--json'], { env });
    await Promise.race([server.waitForRequests(names[1] ?? '', 2), first.done]);
    first.kill('SIGKILL');
    await first.done;
    const ended = await project.mh(['resume', '--json'], { env });
    const [run] = RunDocument.array().parse(ended.json);
    expect([run?.status, run?.tasks.map(({ attempts }) => attempts)], ended.stderr).toEqual(['done', [1, 1, 1, 1]]);
    const conversations = server.requests(names[1] ?? '').filter(({ isAside, turn }) => !isAside && turn === 0);
    expect(conversations).toHaveLength(2);
  });
});
