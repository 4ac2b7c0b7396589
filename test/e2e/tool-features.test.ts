import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledger, statuses } from '../support/features-project.ts';
import { runForDocument } from '../support/run-for-document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';
import { TESTS_ALL } from '../support/variants.ts';

/** The settings file that the other tool documents, key by key. */
const THEIRS = {
  projectName: 'my-app',
  baseBranch: 'ai-develop',
  featuresFile: 'features.json',
  progressFile: '.orchestrator/progress.txt',
  instructionsFile: 'ORCHESTRATOR.md',
  appUrl: 'http://localhost:3000',
  tracks: [
    { name: 'core', categories: [], color: '#3b82f6', isDefault: true },
    { name: 'site', categories: ['marketing'], color: '#22c55e', isDefault: false },
  ],
  worktree: {
    symlinkDirs: ['node_modules'],
    copyFiles: ['.mcp.json', '.env'],
    dockerService: null,
    dockerWorkDir: null,
  },
  agent: { preferred: 'claude', fallbackAgents: ['codex'], maxTurnsImplementation: 40, maxTurnsVerification: 20 },
  verification: { maxAttempts: 3, disabled: false },
  browser: { enabled: false, mcpPackage: 'chrome-devtools-mcp@latest', mcpServerName: 'chrome-devtools' },
};

/** Its list, wrapped as its document shows it. */
const FEATURES = `{
  "features": [
    { "id": 1, "category": "core", "name": "Sign in", "description": "Create login.txt with two lines.", "steps": ["login.txt exists", "it has two lines"], "status": "open" },
    { "id": 2, "category": "marketing", "name": "Front page", "description": "Create front.txt.", "steps": ["front.txt exists"], "status": "open" },
    { "id": 3, "category": "core", "name": "Never good", "description": "Create never.txt.", "steps": ["nobody can do this"], "status": "open" }
  ]
}
`;

/** Keeps every prompt; its first work on the login is half done, and its third feature is never good enough. */
const AGENT = `#!/bin/sh
prompt=$(cat)
file=$(printf '%s' "$prompt" | grep -oE 'Create [a-z]+[.]txt' | head -1 | cut -d' ' -f2)
echo "$MANYHANDS_ROLE $file" >> "$HOME/ledger"
printf '%s' "$prompt" > "$HOME/prompt-$MANYHANDS_ROLE-$file-$MANYHANDS_ATTEMPT_NUMBER"
if [ "$MANYHANDS_ROLE" = verify ]; then
  case $file in
    login.txt) echo "STEP 1: PASS"; [ "$(wc -l < login.txt)" -ge 2 ] && echo "STEP 2: PASS" || echo "STEP 2: FAIL only one line" ;;
    never.txt) echo "STEP 1: FAIL never" ;;
    *) echo "STEP 1: PASS" ;;
  esac
  exit 0
fi
echo line >> "$file"
`;

async function scratch(): Promise<Scratch> {
  const project = await makeScratch({
    files: {
      'package.json': '{ "name": "my-app", "scripts": { "test": "true" } }\n',
      '.orchestrator/config.json': JSON.stringify(THEIRS, null, 2),
      '.orchestrator/verification.md': 'Look at it with my own eyes.\n\n{{task}}\n',
      'ORCHESTRATOR.md': 'Never use tabs.\n',
      'features.json': FEATURES,
      '.mcp.json': '{ "mcpServers": {} }\n',
    },
  });
  writeFileSync(join(project.root, 'agent.sh'), AGENT, { mode: 0o755 });
  return project;
}

function prompt(project: Scratch, name: string): string {
  return readFileSync(join(project.root, `prompt-${name}`), 'utf8');
}

describe('the files and commands of the tool for features.json', () => {
  it('work as documented: set up, start, and every feature implemented, verified, fixed and merged', {
    timeout: 300_000,
  }, async () => {
    await using project = await scratch();
    writeFileSync(join(project.repo, 'unsaved.txt'), 'mine\n');
    const init = await project.mh(['init', '--yes', '--import']);
    expect(init.code, init.stderr).toBe(0);
    const run = await runForDocument(project, 'run', 'features.json', '--agent', 'command:../agent.sh');
    expect([run.code, run.status]).toEqual([1, 'partial']);

    expect(run.base.branch).toBe('ai-develop');
    expect(statuses(project)).toEqual(['passed', 'passed', 'failed']);
    expect(run.tasks.filter(({ role }) => role === 'implement').map(({ name, track }) => [name, track])).toEqual([
      ['1', 'core'],
      ['2', 'site'],
      ['3', 'core'],
    ]);
    const landed = project.git('ls-tree', '--name-only', 'ai-develop').split('\n');
    expect(landed).toEqual(expect.arrayContaining(['login.txt', 'front.txt']));
    expect(landed).not.toContain('never.txt');
    expect(project.git('show', `mh-tasks/${run.run}/3-never-good:never.txt`).split('\n')).toHaveLength(3);

    expect(prompt(project, 'implement-login.txt-1')).toContain('Never use tabs.');
    expect(prompt(project, 'verify-login.txt-1')).toMatch(/^Look at it with my own eyes\./);
    expect(prompt(project, 'implement-login.txt-2')).toContain('only one line');
    expect(ledger(project).filter((entry) => entry === 'verify never.txt')).toHaveLength(3);
    expect(readFileSync(join(project.repo, '.orchestrator/progress.txt'), 'utf8')).toMatch(/Sign in/);

    const salvage = await project.mh(['salvage', run.run]);
    expect(salvage.stdout).toMatch(new RegExp(`^${run.run} +3 +1 `, 'm'));
    expect(project.git('branch', '--show-current')).toBe('main');
    expect(project.git('stash', 'list')).toBe('');
    expect(readFileSync(join(project.repo, 'unsaved.txt'), 'utf8')).toBe('mine\n');
    expect(readFileSync(join(project.repo, '.mcp.json'), 'utf8')).toBe('{ "mcpServers": {} }\n');
  });

  it.runIf(TESTS_ALL)('are rehearsed without a model', { timeout: 180_000 }, async () => {
    await using project = await scratch();
    expect((await project.mh(['init', '--yes', '--import'])).code).toBe(0);
    const run = await runForDocument(project, 'run', 'features.json', '--rehearse');
    expect([run.code, run.status], run.reason ?? '').toEqual([0, 'done']);
    expect(statuses(project)).toEqual(['passed', 'passed', 'passed']);
  });

  it.runIf(TESTS_ALL)('are also read as a plain list', { timeout: 180_000 }, async () => {
    await using project = await scratch();
    writeFileSync(
      join(project.repo, 'features.json'),
      FEATURES.slice(FEATURES.indexOf('['), FEATURES.lastIndexOf(']') + 1),
    );
    const check = await project.mh(['check', 'features.json', '--json']);
    expect(check.json).toMatchObject({ ok: true, format: 'features', count: 3 });
  });
});
