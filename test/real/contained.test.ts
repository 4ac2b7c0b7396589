import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { DoctorLine } from '../../src/operations/maintenance/doctor/doctor-line.ts';
import { RunDocument } from '../../src/schema/document.ts';
import { SANDBOX } from '../support/sandbox.ts';
import { makeScratch, writeFiles } from '../support/scratch.ts';
import { codexProvider } from './invocations.ts';
import type { RecordedRequest, Step } from './model-server/step.ts';
import { startModelServer } from './model-server.ts';
import { bundledBubblewrap } from './programs.ts';
import { HOMES } from './sandbox.ts';
import { describeWith } from './with-programs.ts';

const server = await startModelServer();
afterAll(() => server[Symbol.asyncDispose]());

/** Writes a file, and says so; the check requires it. */
function claudeWrites(request: RecordedRequest): Step {
  return request.turn > 0
    ? { say: 'done.txt is there.' }
    : { call: [{ name: 'Bash', args: { command: 'echo claude >done.txt', description: 'Write' } }] };
}

/** Its shell commands run in its own sandbox, unless ours replaces that. */
function codexWrites(request: RecordedRequest): Step {
  return request.turn > 0
    ? { say: 'done.txt is there.' }
    : { call: [{ name: 'exec_command', args: { cmd: 'echo codex >done.txt' } }] };
}

function geminiWrites(request: RecordedRequest): Step {
  return request.turn > 0
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

await describeWith(['codex'], 'a task that only reads', (path) => {
  it.skipIf(SANDBOX.missing)(
    'cannot be written by Codex, whether its own sandbox works in that of Manyhands or not',
    async () => {
      const base = server.scenario('contained-reader', ({ turn }) =>
        turn > 0
          ? { say: 'Done.' }
          : { call: [{ name: 'exec_command', args: { cmd: 'cat README.md; echo x >written.txt; ls -a' } }] },
      );
      await using project = await makeScratch({ parent: HOMES, files: { 'README.md': '# secret-word\n' } });
      const codex = { kind: 'codex', command: path('codex'), args: codexProvider(base), model: 'gpt-5.5' };
      const settings = { agents: { codex: { ...codex, env: { SCRIPTED_KEY: 'test-key' } } }, checks: ['true'] };
      const folder = join(project.root, '.config', 'manyhands');
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, 'config.yaml'), JSON.stringify({ ...settings, sandbox: 'require' }));
      const env = { MANYHANDS_BWRAP: SANDBOX.program };
      await project.mh(['job', 'Read it', '--role', 'analyze', '--agent', 'codex', '--json'], { env });
      const [, second] = server.requests('contained-reader').filter(({ isAside }) => !isAside);
      const answer = JSON.stringify(second?.body ?? '');
      expect([answer.includes('secret-word'), answer.includes('Read-only file system')]).toEqual([true, true]);
    },
  );

  it.skipIf(SANDBOX.missing)(
    'doctor reports whether its own sandbox can start, and what to do where it cannot',
    async () => {
      await using project = await makeScratch({ parent: HOMES, files: { 'README.md': '#\n' } });
      const settings = { agents: { codex: { kind: 'codex', command: path('codex'), env: { CODEX_API_KEY: 'x' } } } };
      writeFiles(project.root, { '.config/manyhands/config.yaml': JSON.stringify(settings) });
      const lineOf = async (env: Record<string, string>) => {
        const { json } = await project.mh(['doctor', '--json'], { env });
        return DoctorLine.array()
          .parse(json)
          .find(({ name }) => name === 'own sandbox of codex');
      };
      expect(await lineOf({ MANYHANDS_BWRAP: SANDBOX.program })).toMatchObject({
        ok: true,
        detail: expect.stringMatching(/that of Manyhands/),
      });
      expect(await lineOf({ MANYHANDS_BWRAP: '' })).toMatchObject({ ok: true, detail: 'is used' });
      // With another bubblewrap than its own on PATH, and its home below the temporary folder, it has no helper to start.
      if (SANDBOX.program === bundledBubblewrap()) return;
      const PATH = `${dirname(SANDBOX.program)}:${dirname(process.execPath)}:/usr/bin:/bin`;
      expect(await lineOf({ MANYHANDS_BWRAP: '', PATH, TMPDIR: project.root })).toMatchObject({
        ok: false,
        detail: expect.stringContaining('none of its commands would run: bwrap: '),
        fix: expect.stringMatching(/CODEX_HOME.*agents\.codex\.permission: bypass/),
      });
    },
  );
});

await describeWith(['claude', 'codex', 'gemini'], 'real agents in a sandbox', (path) => {
  let runs = 0;
  const cases = {
    claude: (base: string) => ({ env: { ANTHROPIC_API_KEY: 'test-key', ANTHROPIC_BASE_URL: base, IS_SANDBOX: '1' } }),
    codex: (base: string) => ({ args: codexProvider(base), env: { SCRIPTED_KEY: 'test-key' }, model: 'gpt-5.5' }),
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
        parent: HOMES,
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
      // Root may map no user in a namespace below that of a sandbox, as Codex requires.
      const isReplaced = kind === 'codex' && process.getuid?.() === 0;
      expect(task?.containment?.[0]?.ownSandbox?.used).toBe(kind === 'codex' ? !isReplaced : undefined);
      const own = `127.0.0.1:${new URL(base).port}`;
      expect(task?.network?.[0]?.hosts).toContainEqual(expect.objectContaining({ host: own, refused: 0 }));
      expect(server.requests(name).length).toBeGreaterThan(0);
      expect(await project.leftovers()).toEqual([]);
    },
  );
});
