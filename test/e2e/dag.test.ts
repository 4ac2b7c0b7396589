import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ledger } from '../support/features-project.ts';
import { runForDocument } from '../support/run-for-document.ts';
import { makeScratch, type Scratch } from '../support/scratch.ts';

/** Answers with what $HOME/answer-<task title> holds, and writes one line into a file of its own where it may. */
const AGENT = `#!/bin/sh
prompt=$(cat)
name=$(printf '%s' "$prompt" | grep -oE 'Step [a-z]+' | head -1 | cut -d' ' -f2)
echo "$name" >> "$HOME/ledger"
printf '%s' "$prompt" > "$HOME/prompt-$name"
case "$MANYHANDS_ROLE" in implement) echo "$name" >> "$name.txt" ;; esac
count=$(grep -cx "$name" "$HOME/ledger")
echo '{"status":"pass","summary":"ok","found":false,"count":'$count',"score":'$count'.5,"items":["a","b"]}'
`;

const TOML = `[dag]
name = "graph"
max_parallel = 4

[tasks.look]
prompt = "Step look"
is_read_only = true
complexity = "simple"
timeout = 300

[tasks.make]
prompt = "Step make"
depends_on = ["look"]
condition = "not outputs.get('look', {}).get('found')"
retry = { max_attempts = 2, backoff_base = 1 }

[tasks.never]
prompt = "Step never"
depends_on = ["look"]
condition = "outputs['look']['found'] is True"

[tasks.polish]
prompt = "Step polish"
depends_on = ["make", "never"]
[tasks.polish.loop]
max_iterations = 5
until_condition = "outputs['polish']['count'] >= 2 and len(outputs['polish']['items']) == 2"
`;

async function scratch(files: Record<string, string>): Promise<Scratch> {
  const settings =
    'agents: { hand: { kind: command, command: ../agent.sh } }\nlimits: { attempts: 1, retryDelaySeconds: 0 }\n';
  const project = await makeScratch({
    files: { 'base.txt': 'base\n', '.manyhands/config.yaml': settings, ...files },
    check: 'test -e base.txt',
  });
  writeFileSync(join(project.root, 'agent.sh'), AGENT, { mode: 0o755 });
  return project;
}

describe('a graph of tasks in the format of another tool', () => {
  it('follows its conditions and loops in order', { timeout: 180_000 }, async () => {
    await using project = await scratch({ 'dag.toml': TOML });
    const done = await runForDocument(project, 'run', 'dag.toml', '--check', 'test -e base.txt');
    expect([done.code, done.status], done.reason ?? '').toEqual([0, 'done']);
    expect(ledger(project)).toEqual(['look', 'make', 'polish', 'polish']);
    expect(existsSync(join(project.root, 'prompt-never'))).toBe(false);
    expect(project.git('ls-tree', '--name-only', `mh/${done.run}`).split('\n')).toEqual(
      expect.arrayContaining(['make.txt', 'polish.txt']),
    );
    expect(readFileSync(join(project.root, 'prompt-polish'), 'utf8')).toContain('Step polish');
  });

  it('never executes the content of a condition', async () => {
    const attack = `__import__('os').system('touch ' + chr(47) + 'tmp')`;
    await using project = await scratch({ 'dag.toml': TOML.replace(`outputs['look']['found'] is True`, attack) });
    const refused = await project.mh(['run', 'dag.toml']);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/dag\.toml:\d+:\d+.*condition/);
    expect(ledger(project)).toEqual([]);
  });

  it('is rehearsed without a model, also by agents that only answer where JSON is requested', {
    timeout: 180_000,
  }, async () => {
    const graph = {
      name: 'graph',
      tasks: {
        a: { prompt: 'Step a', output_format: 'json' },
        b: {
          prompt: 'Step b',
          depends_on: ['a'],
          output_schema: { type: 'object', properties: { bugs: { type: 'array' } }, required: ['bugs'] },
        },
      },
    };
    const only = (title: string, output: object) => ({ title, steps: [{ say: 'Looked at it.' }, { output }] });
    const plays = [only('a', { files: ['base.txt'] }), only('b', { bugs: ['none'] })];
    await using project = await scratch({
      'dag.json': JSON.stringify(graph),
      'answers.yaml': JSON.stringify({ plays }),
    });
    const done = await runForDocument(project, 'run', 'dag.json', '--scenario', 'answers.yaml');
    expect([done.code, done.status, done.reason]).toEqual([0, 'done', '2 tasks done, nothing to land']);
    const wrong = { plays: [plays[0], only('b', { bugs: 'none' })] };
    writeFileSync(join(project.repo, 'wrong.yaml'), JSON.stringify(wrong));
    const failed = await runForDocument(project, 'run', 'dag.json', '--scenario', 'wrong.yaml');
    expect([failed.status, failed.reason], 'the schema is enforced').toEqual([
      'failed',
      expect.stringContaining('bugs'),
    ]);
  });
});
