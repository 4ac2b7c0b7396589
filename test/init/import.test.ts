import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { allowedAt } from '../../src/config/describe.ts';
import { detectProject } from '../../src/init/detect.ts';
import { defaultChoices } from '../../src/init/draft.ts';
import { FORMATS } from '../../src/init/import/formats.ts';
import { importProject } from '../../src/init/import/import-project.ts';
import { settingsMap } from '../../src/init/import/settings-map.ts';
import { initProject } from '../../src/init/init-project.ts';
import { loadRole } from '../../src/roles/load.ts';
import { failureOf } from '../config/scratch.ts';
import { makeProject, type Project } from './project.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, 'fixtures', name), 'utf8');
const OTHERS = z.record(z.string(), z.unknown()).parse(JSON.parse(fixture('others.json')));
const FILES: Record<string, string> = {
  '.orchestrator/config.json': fixture('orchestrator.json'),
  '.claude-orchestrator.yaml': fixture('claude-orchestrator.yaml'),
  '.claude-orchestrator/config.toml': fixture('config.toml'),
  'config.toml': fixture('config.toml'),
  ...Object.fromEntries(Object.entries(OTHERS).map(([path, value]) => [path, JSON.stringify(value, null, 2)])),
};

describe('every key of other tools', () => {
  it.each(FORMATS.map(({ file }) => file))('has a fate: %s', async (file) => {
    using project = makeProject({ [file]: FILES[file] ?? '' });
    const { entries } = await importProject(project.root);
    expect(entries.length).toBeGreaterThan(3);
    expect(entries.filter(({ fate }) => fate === 'unknown')).toEqual([]);
    expect(entries.filter(({ to, note }) => to === null && (note ?? '') === '')).toEqual([]);
  });

  it('becomes a setting that there is, or a role', () => {
    const targets = FORMATS.flatMap(({ keys }) => keys.flatMap((row) => (row.fate === 'mapped' ? [row.to] : [])));
    const settings = targets.filter((to) => !to.startsWith('.manyhands/roles/'));
    expect(settings.filter((to) => allowedAt(to.split('.')) === undefined)).toEqual([]);
    expect(new Set(settings).size).toBeGreaterThan(50);
  });

  it('has one fate only', () => {
    for (const { keys } of FORMATS) {
      const names = keys.map(({ key }) => key);
      expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
    }
  });
});

describe('an import', () => {
  it('takes over settings, prompts, instructions and progress of a features tool', async () => {
    using project = makeProject({
      '.orchestrator/config.json': fixture('orchestrator.json'),
      '.orchestrator/fix.md': 'Mend it.\r\n\r\n{{VERIFICATION_OUTPUT}} {{constructor}}\r\n',
      'ORCHESTRATOR.md': 'Be kind.',
    });
    project.git('branch', 'ai-develop');
    const document = await initialise(project);
    const text = readFileSync(join(project.root, '.manyhands/config.yaml'), 'utf8');
    expect(text).toContain('base: ai-develop');
    expect(text).toContain('instructions: ORCHESTRATOR.md');
    expect(text).toContain('progress: .orchestrator/progress.txt');
    expect(text).toContain('service: laravel.test');
    expect(text).toContain('Landing pages');
    const implement = await loadRole('implement', { userDir: join(project.root, '.manyhands/roles') });
    expect(implement.text).toContain(
      'Build {{title}} ({{id}}) on ai-develop in the current directory, by ORCHESTRATOR.md, see the current directory and http://localhost:3000.\n{{task}}',
    );
    const fix = await loadRole('fix', { userDir: join(project.root, '.manyhands/roles') });
    expect(fix.text).toContain('{{evidence}} constructor');
    expect(fix.text).toContain('{{task}}');
    expect(document.notes).toContain('{{constructor}} of the fix prompt has no meaning here and became plain text');
    const known = document.notes.filter((note) => note.includes('of the implement prompt'));
    expect(known, 'all eight variables of that tool have a meaning').toEqual([]);
  });

  it('puts test instructions into a file, and keeps the command as a check', async () => {
    using project = makeProject({ '.claude-orchestrator.yaml': fixture('claude-orchestrator.yaml') });
    await initialise(project);
    expect(readFileSync(join(project.root, '.manyhands/test-instructions.md'), 'utf8')).toBe(
      '## Testing\n\nRun the unit tests first.\n',
    );
    const text = readFileSync(join(project.root, '.manyhands/config.yaml'), 'utf8');
    expect(text).toContain('testCommand: pytest tests/');
    expect(text).toContain('attempts: 3');
  });

  it('takes over what a tool keeps for all projects, below what the project says; neither widens anything by itself', async () => {
    using project = makeProject({
      '.claude-orchestrator.yaml': 'git: { destination_branch: develop }\ntools: { skip_permissions: false }\n',
    });
    const file = join(project.env.HOME ?? '', '.config/claude-orchestrator/config.yaml');
    mkdirSync(dirname(file), { recursive: true });
    const theirs =
      'git: { destination_branch: main, repo_slug: shop }\ntools: { skip_permissions: true }\nagent: { max_retries: 4 }\n';
    writeFileSync(file, theirs);
    const { settings, held, entries } = await importProject(project.root, project.env);
    expect(settingsMap(settings)).toEqual({
      git: { destination: 'develop', repo: 'shop' },
      tools: { skipPermissions: false },
      limits: { attempts: 5 },
    });
    expect(held).toEqual([]);
    const home = entries.filter((entry) => entry.file.startsWith('~/')).map(({ key, fate }) => [key, fate]);
    expect(Object.fromEntries(home)).toEqual({
      'git.destination_branch': 'ignored',
      'tools.skip_permissions': 'ignored',
      'git.repo_slug': 'mapped',
      'agent.max_retries': 'mapped',
    });
    writeFileSync(file, 'agent:\n  max_retries: "4"\n');
    const { message } = await failureOf(importProject(project.root, project.env));
    expect(message).toContain('~/.config/claude-orchestrator/config.yaml:2:16: agent.max_retries: found the text "4"');
  });

  it('holds back whatever lets agents do more, with the command that takes it', async () => {
    using project = makeProject({ '.claude-orchestrator.yaml': fixture('claude-orchestrator.yaml') });
    const { settings, held, entries } = await importProject(project.root);
    expect(held.map(({ to }) => to)).toEqual([
      'mcp.atlassian',
      'mode',
      'stopAfterGenerate',
      'autoApprove',
      'autoPr',
      'tools.permissionMode',
      'tools.allowedCli',
      'tools.allowedTools',
      'tools.addDirs',
      'tools.skipPermissions',
      'review.automerge',
      'review.tools.allowedCli',
    ]);
    expect(JSON.stringify(settingsMap(settings))).not.toContain('skipPermissions');
    expect(entries.find(({ to }) => to === 'tools.skipPermissions')?.note).toBe(
      "agents do everything without asking; to apply it: manyhands config set tools.skipPermissions 'true'",
    );
  });

  it('reads the booleans of YAML 1.1, which its own library accepts', async () => {
    using project = makeProject({ '.claude-orchestrator.yaml': 'review:\n  test_before_merge: no\n  automerge: On\n' });
    const { settings, held } = await importProject(project.root, project.env);
    expect(settings).toContainEqual(expect.objectContaining({ to: 'review.testBeforeMerge', value: false }));
    expect(held).toContainEqual(expect.objectContaining({ to: 'review.automerge', value: true }));
  });

  it.each([
    [
      '.claude-orchestrator.yaml',
      'tools:\n  skip_permissions: "false"\n',
      ':2:21: tools.skip_permissions: found the text "false"; a boolean is expected, without quotes',
    ],
    [
      '.orchestrator/config.json',
      '{\n  "verification": { "disabled": "false" }\n}',
      ':2:33: verification.disabled: found the text "false"; a boolean is expected, without quotes',
    ],
    [
      'config.toml',
      '[orchestrator]\nmax_parallel = 2\n\n[routing]\nauto_fallback = "false"\n',
      ':5:1: routing.auto_fallback: found the text "false"; a boolean is expected, without quotes',
    ],
    [
      '.claude-orchestrator.yaml',
      'agent:\n  max_retries: "5"\n',
      ':2:16: agent.max_retries: found the text "5"; a number is expected, without quotes',
    ],
    ['config.toml', '[orchestrator]\nmax_parallel = \n', ':2:'],
    ['.orchestrator/config.json', '{ "agent": ', ':1:'],
    ['.orchestrator/config.json', '{"a":'.repeat(100_000), ':1:1: nested too deeply'],
  ])('refuses %s with a mistake at its place, and writes nothing', async (file, text, place) => {
    using project = makeProject({ [file]: text });
    const { code, message } = await failureOf(importProject(project.root));
    expect(code).toBe('CONFIG_INVALID');
    expect(message).toContain(`${file}${place}`);
    expect(project.git('status', '--porcelain')).toBe('');
  });

  it('says what it did not understand, and leaves out values that our settings refuse', async () => {
    using project = makeProject({ 'config.toml': '[orchestrator]\nmax_parallel = 0\nnew_thing = 1\n' });
    const { entries, settings } = await importProject(project.root);
    expect(settings).toEqual([]);
    expect(entries.map(({ key, fate, note }) => [key, fate, note])).toEqual([
      ['orchestrator.max_parallel', 'ignored', 'limits.agents: found 0; allowed: integer 1..150'],
      ['orchestrator.new_thing', 'unknown', 'no such key is known'],
    ]);
  });

  it('leaves a config.toml of somebody else alone', async () => {
    using project = makeProject({ 'config.toml': 'baseURL = "https://example.org"\ntitle = "A site"\n' });
    expect((await importProject(project.root)).entries).toEqual([]);
  });

  it('lets the first of two files count, and says so', async () => {
    using project = makeProject({
      'scripts/cc-orchestrator/config/queue_policy.json': '{"max_concurrent": 3}',
      'scripts/cc-orchestrator/config/cost_guard.json': '{"max_concurrent": 4}',
    });
    const { entries, settings } = await importProject(project.root);
    expect(settingsMap(settings)).toEqual({ limits: { agents: 3 } });
    expect(entries[1]?.note).toBe('scripts/cc-orchestrator/config/queue_policy.json already sets limits.agents');
  });

  it('keeps a write scope to what lies inside the project', async () => {
    using project = makeProject({
      '.claude-code-orchestrator/write-scope.json': FILES['.claude-code-orchestrator/write-scope.json'] ?? '',
    });
    const { settings } = await importProject(project.root);
    expect(settingsMap(settings)).toEqual({ scope: { allow: ['src'], deny: ['.env'], maxChangedLines: 800 } });
  });

  it('gives a command that is safe to paste, whatever the value', async () => {
    using project = makeProject({ '.claude-orchestrator.yaml': `tools:\n  allowed_cli: ["'; touch owned; '"]\n` });
    const { entries } = await importProject(project.root);
    expect(entries[0]?.note).toContain(`manyhands config set tools.allowedCli '["'\\''; touch owned; '\\''"]'`);
  });
});

async function initialise(project: Project) {
  const detection = await detectProject(project.root);
  const imported = await importProject(project.root);
  const choices = defaultChoices(detection);
  return initProject({ detection, choices, imported, agreed: [], agentsMd: false, dryRun: false, env: project.env });
}
