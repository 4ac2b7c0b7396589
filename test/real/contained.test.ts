import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { RunDocument } from '../../src/schema/document.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { makeScratch } from '../support/scratch.ts';
import { codexProvider } from './invocations.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** Writes a file, and says so; the check requires it. */
function claudeWrites(asked: RecordedRequest): Step {
  return asked.turn > 0
    ? { say: 'done.txt is there.' }
    : { call: [{ name: 'Bash', args: { command: 'echo claude >done.txt', description: 'Write' } }] };
}

function codexWrites(asked: RecordedRequest): Step {
  return asked.turn > 0
    ? { say: 'done.txt is there.' }
    : { call: [{ name: 'apply_patch', input: '*** Begin Patch\n*** Add File: done.txt\n+codex\n*** End Patch\n' }] };
}

function geminiWrites(asked: RecordedRequest): Step {
  return asked.turn > 0
    ? { say: 'done.txt is there.' }
    : { call: [{ name: 'write_file', args: { file_path: 'done.txt', content: 'gemini\n' } }] };
}

await describeWith(['codex'], 'the tests of the sandbox', () => {
  it.runIf(process.platform === 'linux')(
    'are not skipped for want of bubblewrap, which the package of Codex has',
    () => {
      expect(SANDBOX.title).not.toMatch(/skipped: .*(not installed|cannot be started)/);
    },
  );
});

await describeWith(['claude', 'codex', 'gemini'], 'real agents in a sandbox', (path) => {
  let runs = 0;
  const cases = {
    claude: (base: string) => ({ env: { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: base, IS_SANDBOX: '1' } }),
    // Its own sandbox does not work in this one where everything is below the temporary folder.
    codex: (base: string) => ({
      args: codexProvider(base),
      env: { SCRIPTED_KEY: 'test-key' },
      model: 'gpt-5.5',
      permission: 'bypass',
    }),
    gemini: (base: string) => ({ env: { GEMINI_API_KEY: 'test-key', GOOGLE_GEMINI_BASE_URL: base } }),
  };
  const scripts = { claude: claudeWrites, codex: codexWrites, gemini: geminiWrites };
  const logins = { claude: 'outside', codex: 'inside', gemini: 'outside' };

  it.skipIf(SANDBOX.missing).each(['claude', 'codex', 'gemini'] as const)(
    '%s reaches its model through the proxy and nothing else, and its work lands',
    async (kind) => {
      runs += 1;
      const name = `contained-${kind}-${runs}`;
      const base = server.scenario(name, scripts[kind]);
      await using project = await makeScratch({
        files: {
          'README.md': '# x\n',
          '.manyhands/config.yaml': 'checks: ["test -s done.txt"]\nlimits: { attempts: 1 }\n',
        },
      });
      const settings = { sandbox: 'require', agents: { it: { kind, command: path(kind), ...cases[kind](base) } } };
      const folder = join(project.root, '.config', 'manyhands');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.yaml'), JSON.stringify(settings));
      const env = { MANYHANDS_BWRAP: SANDBOX.program };
      const ended = await project.mh(['job', 'Write done.txt', '--agent', 'it', '--json'], { env });
      const run = RunDocument.parse(ended.json);
      expect([ended.code, run.status], ended.stderr).toEqual([0, 'done']);
      const [task] = run.tasks;
      expect([task?.containment?.[0]?.missing, task?.containment?.[0]?.login]).toEqual([
        expect.not.arrayContaining(['network']),
        logins[kind],
      ]);
      const own = `127.0.0.1:${new URL(base).port}`;
      expect(task?.network?.[0]?.hosts).toContainEqual(expect.objectContaining({ host: own, refused: 0 }));
      expect(server.requests(name).length).toBeGreaterThan(0);
      expect(await project.leftovers()).toEqual([]);
    },
  );
});
