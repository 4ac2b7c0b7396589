import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OTHER_COMMANDS, replacedCommand } from '../../src/cli/other-tools.ts';
import { testProgram } from './cli-run.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/how-to/come-from-another-tool.md'), 'utf8');

/** Every command of the five tools that is not also one of ours. */
const COMMANDS = {
  goals: 'auto claude codex runs retry-failed visualize self-improve dashboard',
  bulk: 'simple',
  features: 'start',
  todo: 'generate cleanup',
  controller: `healthcheck selftest mock-stream-test list-profiles pick score-models write-auto-policy write-reports
    model-registry local-policy calibrate-policy benchmark-model benchmark-suite run-streaming run-visible poll-run
    summarize-run compact-events run-status stop-run send-instruction last-run open-run-folder spawn-role-team
    collect-team-results cross-review preflight-write-scope check-write-scope diff-summary secret-scan-run rollback-run
    verify-run score-worker decision-review supervise-decision controller-report pressure-report export-report
    usage-summary queue-submit queue-tick queue-status queue-cancel queue-policy cost-guard init-workspace
    workspace-status migrate-data clean-workspace archive-runs repair-mcp-paths folder-policy write-claude-md
    upgrade-check workflow-plan workflow-validate workflow-dry-run workflow-run workflow-status workflow-retry-node
    workflow-stop workflow-report handoff-template handoff-validate handoff-read handoff-repair-prompt prompt-pack
    render-prompt`,
};

async function errorOf(...argv: string[]): Promise<string> {
  const { code, stderr } = await testProgram().run(...argv);
  expect(code).toBe(2);
  return stderr;
}

describe('a command of another tool', () => {
  it.each(Object.entries(COMMANDS))('is answered with what replaces it, and is on the page: %s', (_, names) => {
    const all = names.split(/\s+/);
    expect(all.filter((name) => replacedCommand([name]) === undefined)).toEqual([]);
    expect(all.filter((name) => !PAGE.includes(`\`${name}`) && !PAGE.includes(` ${name}`))).toEqual([]);
  });

  it('keeps what was typed', async () => {
    const cases: [string, string][] = [
      ['simple run --manifest tasks.jsonl', 'manyhands bulk run tasks.jsonl'],
      ['simple retry --run-id k3v9x2ab', 'manyhands bulk retry'],
      ['generate --from-todo todo.md', 'manyhands plan todo.md'],
      ['run --from-todo todo.md --execute', 'manyhands run todo.md --execute'],
      ['run --from-todo todo.md --yolo', 'manyhands yolo todo.md'],
      ['do --provider codex hello', '--agent <agent>'],
      ['do --phase-provider execute=codex hello', '--agent <role>=<agent>'],
      ['workflow-retry-node --workflow-id k3v --node-id review', 'manyhands retry k3v review'],
      ['run-streaming Review --role review', 'manyhands job Review --role review --detach'],
      ['config git.base_branch develop', 'manyhands config set git.base develop'],
      ['config --global agent.max_retries', 'manyhands config get limits.attempts'],
      ['config --list', 'manyhands config list'],
      ['dag.toml', 'manyhands run dag.toml'],
      ['self-improve --discover', 'manyhands improve'],
      ['improve -d ./shop --discover', '-C <folder>'],
    ];
    for (const [typed, use] of cases)
      expect(await errorOf(...typed.split(' ')), typed).toContain(`Use instead: ${use}`);
    expect(Object.values(OTHER_COMMANDS).filter((use) => !use.startsWith('manyhands '))).toEqual([]);
  });

  it('is not mistaken for a goal or a work file', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'mh-other-'));
    writeFileSync(join(folder, 'dag.toml'), '[tasks.a]\nprompt = "P"\n');
    writeFileSync(join(folder, 'goal.txt'), 'Just words\n');
    const refused = async (...argv: string[]) => {
      const { code, stderr } = await testProgram({ cwd: folder }).run(...argv);
      expect(code).toBe(2);
      return stderr;
    };
    expect(await refused('do', 'dag.toml')).toContain(
      'a work file (dag), not a goal. Run it with: manyhands run dag.toml',
    );
    expect(await refused('do', 'dag.toml')).toContain('manyhands do @dag.toml');
    expect(await refused('run', 'Map this repository')).toContain('manyhands job "Map this repository"');
    writeFileSync(join(folder, 'README.md'), '# Shop\n\n- Fast\n- Small\n');
    const doubt = 'README.md is probably not a to-do list: only 0 of its 2 bullets look like tasks. To use it anyway:';
    expect(await refused('run', 'README.md')).toContain(`${doubt} manyhands run README.md --format todo`);
    rmSync(folder, { recursive: true });
  });
});
