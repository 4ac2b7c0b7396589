import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OTHER_COMMANDS } from '../../src/cli/other-commands.ts';
import { testProgram } from './cli-run.ts';
import { OTHER_PARSERS } from './other-parsers.ts';

const PAGE = readFileSync(join(import.meta.dirname, '../../docs/how-to/come-from-another-tool.md'), 'utf8');

async function errorOf(...argv: string[]): Promise<string> {
  const { code, stderr } = await testProgram().run(...argv);
  expect(code).toBe(2);
  return stderr;
}

describe('a command of another tool', () => {
  it.each(Object.entries(OTHER_PARSERS))('is on the page: %s', (_, commands) => {
    const names = Object.keys(commands).map((command) => command.replaceAll(/ ?<[^>]*>/g, ''));
    const isNamed = (name: string) =>
      PAGE.includes(`\`${name}`) || PAGE.includes(` ${name}`) || PAGE.includes(`(${name}`);
    expect(names.filter((name) => !isNamed(name) && !isNamed(name.split('=')[0] ?? ''))).toEqual([]);
  });

  it('keeps what was typed', async () => {
    const cases: [string, string][] = [
      ['simple run --manifest tasks.jsonl', 'manyhands bulk run tasks.jsonl'],
      ['simple run --manifest=tasks.jsonl', 'manyhands bulk run tasks.jsonl'],
      ['simple retry --run-id k3v9x2ab', 'manyhands bulk retry k3v9x2ab'],
      ['codex do hello -d ./shop', 'manyhands do hello -C ./shop --agent codex'],
      ['auto hello --max-hours 2', 'manyhands do hello --max-hours 2'],
      ['runs --resume', 'manyhands resume'],
      ['runs dag.toml --graph', 'manyhands run dag.toml --dry-run'],
      ['generate --from-todo todo.md -o tasks.yaml', 'manyhands plan todo.md --output tasks.yaml'],
      ['run --from-todo=todo.md --execute', 'manyhands run todo.md --execute'],
      ['run --from-todo todo.md --yolo', 'manyhands yolo todo.md'],
      ['run --from-todo todo.md --yolo --with-review -s', 'manyhands yolo todo.md --with-review --sequential'],
      ['do --provider codex hello', 'manyhands do --agent codex hello'],
      [
        'do --phase-provider execute=codex --phase-provider=review=claude hello',
        'manyhands do --agent implement=codex --agent review=claude hello',
      ],
      ['workflow-retry-node --workflow-id k3v --node-id review', 'manyhands retry k3v review'],
      ['workflow-run --file flow.yaml --mock', 'manyhands run flow.yaml --rehearse'],
      [
        'run-streaming Review --role review --allow-write --timeout-seconds 900',
        'manyhands job Review --role review --write --stop time=900s --detach',
      ],
      ['run Map --role review --allow-write', 'manyhands job Map --role review --write'],
      ['spawn-role-team Audit --roles security,testing', 'manyhands team Audit --roles security,testing'],
      ['render-prompt --template bugfix --task Fix', 'manyhands template render bugfix Fix'],
      [
        'preflight-write-scope --allow src --deny .env --max-diff-lines 800',
        'manyhands job "<text>" --write --scope-allow src --scope-deny .env --max-diff-lines 800',
      ],
      ['cost-guard --max-concurrent 4 --apply', 'manyhands config set limits.agents 4'],
      [
        'cost-guard --max-concurrent 4 --max-timeout-seconds 1200 --apply',
        'manyhands config set limits.agents 4\n  and: manyhands config set limits.runtimeSeconds 1200',
      ],
      ['queue-policy --default-timeout-seconds 9', 'manyhands config set limits.runtimeSeconds 9'],
      ['queue-policy', 'manyhands config get limits.agents'],
      ['queue-submit Fix --priority 100', 'manyhands job Fix --priority 0 --detach'],
      [
        'queue-submit Fix --priority 900 --role development',
        'manyhands job Fix --role implement --priority 10 --detach',
      ],
      ['run Map --timeout-seconds 7 --profile codex', 'manyhands job Map --agent codex --stop time=7s'],
      ['run Map --allow-write --task-type x', 'manyhands job Map --write'],
      ['run-visible Map', 'manyhands job Map --visible'],
      ['pick', 'manyhands models pick --role implement'],
      ['pick --role ops', 'manyhands models pick --role review'],
      ['spawn-role-team Audit --roles ops,testing', 'manyhands team Audit --roles review,testing'],
      ['run-status --run-id k3v', 'manyhands show k3v'],
      ['last-run --run-id k3v', 'manyhands show k3v'],
      ['export-report', 'manyhands report'],
      ['diff-summary --cwd shop', 'manyhands diff --summary -C shop'],
      ['render-prompt --template bugfix --var a=b', 'manyhands template render bugfix --context a=b'],
      ['workflow-run --file flow.yaml --task Fix', 'manyhands run flow.yaml --title Fix'],
      ['usage-summary --date 2026-03-01', 'manyhands usage --since 2026-03-01 --until 2026-03-01'],
      ['local-policy --show', 'manyhands config get routing.order'],
      ['clean-workspace --apply', 'manyhands clean --apply'],
      ['archive-runs --remove', 'manyhands archive\nNot used there: --remove (it is written only with --apply)'],
      ['archive-runs --older-than-days 30 --remove --apply', 'manyhands archive --older-than 30 --apply --remove'],
      ['config git.base_branch develop', 'manyhands config set git.base develop'],
      ['config --global agent.max_retries', 'manyhands config get limits.attempts --global'],
      ['config --global agent.max_retries 2', 'manyhands config set limits.attempts 3 --global'],
      ['config tools.permission_mode bypassPermissions', 'manyhands config set tools.permissionMode bypass'],
      ['config tools.allowed_cli gh,az', 'manyhands config set tools.allowedCli gh,az'],
      ['config mcps.enabled linear', `manyhands config set mcp.linear '{"command":"mcp-server-linear"}'`],
      ['config agent.use_resume true', 'nothing: a session is always resumed where that helps'],
      ['config --list', 'manyhands config list'],
      ['dag.toml', 'manyhands run dag.toml'],
      ['auto hello --provider codex --quality-gate=t -y -d shop', 'manyhands do hello --agent codex --check t -C shop'],
      ['claude do hello --phase-provider decompose=codex', 'manyhands do hello --agent plan=codex --agent claude'],
      ['auto hello --resume', 'manyhands resume'],
      ['do hello --resume', 'manyhands resume'],
      [
        'do hello -y',
        'manyhands do hello\nNot used there: -y (a run starts without confirmation; --plan-only waits for one)',
      ],
      [
        'do hello --mode surgical --gather --provider codex',
        'manyhands do hello --agent codex\nNot used there: --mode surgical, --gather (say it in the goal, or in a role)',
      ],
      [
        'do hello --glob src/*.ts',
        'manyhands bulk scan --glob "src/*.ts" --prompt hello --output tasks.jsonl\n  and: manyhands bulk run tasks.jsonl',
      ],
      [
        'simple run hello --glob a.ts b.ts --provider codex',
        'manyhands bulk scan --glob a.ts --glob b.ts --prompt hello --output tasks.jsonl\n  and: manyhands bulk run tasks.jsonl --agent codex',
      ],
      ['simple run --manifest a.jsonl --provider codex', 'manyhands bulk run a.jsonl --agent codex'],
      ['resume dag.toml --run-id k3v', 'manyhands resume k3v'],
      ['retry-failed dag.toml --run-id k3v', 'manyhands retry k3v'],
      ['-c config.toml do hello', 'manyhands init --import'],
      [
        'improve --keywords x',
        'manyhands improve\nNot used there: --keywords x (weak spots are found in the repository, by commands that show them; no web page is read)',
      ],
      ['pressure-report --run-id k3v', 'manyhands report --pressure'],
      ['--port 3001', 'manyhands serve --port 3001'],
      ['start --project shop --port 3001', 'manyhands run features.json -C shop\nNot used there: --port 3001'],
      ['-v', 'manyhands --version'],
      ['run --from-todo todo.md -e', 'manyhands run todo.md --execute'],
      ['run -s -n -e', 'manyhands run --sequential --dry-run --execute'],
      ['run --config other.yaml --project-dir shop', 'manyhands run other.yaml -C shop'],
      ['review -r -m -y', 'manyhands review --from-run --automerge -y'],
      ['review --sequential', 'manyhands review --max-parallel 1'],
      [
        'doctor -m linear -d shop',
        'manyhands doctor -C shop\nNot used there: -m linear (doctor checks every MCP server of the settings)',
      ],
      ['init --no-claude', 'manyhands init\nNot used there: --no-claude (the project is analyzed without a model)'],
      ['config -g git.base_branch develop', 'manyhands config set git.base develop --global'],
      ['config -l', 'manyhands config list'],
      ['generate -t todo.md -d shop', 'manyhands plan todo.md -C shop'],
      ['self-improve --discover', 'manyhands improve --plan-only'],
      ['improve -d ./shop --discover', 'manyhands improve -C ./shop --plan-only'],
    ];
    for (const [typed, use] of cases)
      expect(await errorOf(...typed.split(' ')), typed).toContain(`Use instead: ${use}\n`);
    expect(Object.values(OTHER_COMMANDS).filter((use) => !/^(?:manyhands|nothing:) /.test(use))).toEqual([]);
  });

  it('names the options that what replaces it does not use', async () => {
    expect(await errorOf('archive-runs', '--run-id', 'abc', '--output-dir', 'my folder')).toContain(
      'Use instead: manyhands archive\nNot used there: --run-id abc, --output-dir "my folder"\n',
    );
    expect(await errorOf('do', '--provider', 'codex', 'hello')).not.toContain('Not used there');
  });

  it('is not mistaken for a check or a title', async () => {
    expect(await errorOf('run', '-c', 'other.yaml')).toContain('For a work file: manyhands run other.yaml');
    expect(await errorOf('do', 'hello', '-c', 'config.toml')).toContain('for settings: manyhands init --import');
    expect(await errorOf('run', '-t', 'todo.md')).toContain('For the to-do list: manyhands run todo.md');
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
    writeFileSync(join(folder, 'features.json'), '[]');
    expect(await refused('run')).toContain('For features.json: manyhands run features.json');
    writeFileSync(join(folder, 'README.md'), '# Shop\n\n- Fast\n- Small\n');
    const doubt = 'README.md is probably not a to-do list: only 0 of its 2 bullets look like tasks. To use it anyway:';
    expect(await refused('run', 'README.md')).toContain(`${doubt} manyhands run README.md --format todo`);
    rmSync(folder, { recursive: true });
  });
});
