import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { loadScenario } from '../../../src/agents/rehearsal/scenario.ts';
import { AppError } from '../../../src/errors.ts';

const folder = mkdtempSync(join(tmpdir(), 'mh-scenario-'));
const file = join(folder, 'scenario.yaml');
afterAll(() => rmSync(folder, { recursive: true }));

function load(text: string) {
  writeFileSync(file, text);
  return loadScenario(file);
}

function errorIn(text: string): string {
  try {
    load(text);
  } catch (error) {
    if (error instanceof AppError && error.code === 'SCENARIO_INVALID') return error.message;
    throw error;
  }
  return 'no mistake';
}

function steps(...lines: string[]): string {
  return ['plays:', '  - steps:', ...lines.map((line) => `      ${line}`)].join('\n');
}

describe('a scenario file', () => {
  it('may contain only one script, for one agent called rehearsal', () => {
    expect(load(steps('- say: hi'))).toEqual({
      agents: ['rehearsal'],
      checks: [],
      plays: [{ role: ['*'], steps: [{ step: 'say', text: 'hi' }] }],
    });
  });

  it('supports every documented step', () => {
    const scenario = load(
      steps(
        '- say: a',
        '- think: b',
        '- edit: { path: src/cart.mjs, find: "x", replace: "" }',
        '- run: "node --test"',
        '  expect: fail',
        '- output: { any: [1, null, { deep: true }] }',
        '- fail: { kind: rate-limit, message: "Slow", resetInSeconds: 60 }',
        '- use: { inputTokens: 1200, outputTokens: 300, costUsd: 0.02, model: "rehearsal-1" }',
        '- sleep: 200',
        '- commit: "message"',
        '- exit: 3',
        '- resolve: union',
      ),
    );
    expect(scenario.plays[0]?.steps.map(({ step }) => step)).toEqual([
      ...['say', 'think', 'edit', 'run', 'output', 'fail', 'use', 'sleep', 'commit', 'exit', 'resolve'],
    ]);
  });

  it("of the project's examples is valid", () => {
    const example = fileURLToPath(new URL('../../../examples/scenarios/minimal.yaml', import.meta.url));
    expect(loadScenario(example).agents).toEqual(['ada', 'grace']);
  });

  it.each([
    ['broken YAML', 'plays:\n  - steps: [\n', 3, ''],
    ['an unknown key', 'goal: x\nplay: []\n', 2, 'unknown key "play"'],
    ['an unknown step', steps('- say: a', '- shout: b'), 4, 'unknown key "shout"'],
    ['two actions in one step', steps('- say: a', '  think: b'), 3, 'exactly one of: say, think'],
    ['no action in a step', steps('- {}'), 3, 'exactly one of'],
    ['expect without run', steps('- say: a', '  expect: pass'), 4, 'belongs to a run or a tool step'],
    ['an unknown kind of failure', steps('- fail:', '    kind: tired'), 4, 'plays[0].steps[0].fail.kind'],
    ['find without replace', steps('- edit: { path: a, find: b }'), 3, 'exactly one of: find with replace'],
    ['two ways to edit', steps('- edit: { path: a, write: b, append: c }'), 3, 'exactly one of'],
    [
      'a path that leads out',
      steps('- say: a', '- edit: { path: ../a, write: b }'),
      4,
      'must stay inside the workspace',
    ],
    ['an absolute path', steps('- edit: { path: /etc/a, write: b }'), 3, 'must stay inside the workspace'],
    ['a key given twice', 'goal: a\ngoal: b\n', 2, 'unique'],
    ['__proto__', steps('- output:', '    __proto__: { a: 1 }'), 4, '__proto__ is not allowed'],
    [
      'an agent that does not play',
      'agents: [ada]\nplays:\n  - agent: adda\n    steps: []\n',
      3,
      '"adda" is none of the agents: ada',
    ],
    ['an agent named twice', 'agents: [ada, ada]\n', 1, 'twice'],
    ['a list instead of a mapping', '- a\n', 1, 'expected object'],
    ['an unknown tag', 'goal: !!js/function "x"\n', 1, 'tag'],
  ])('with %s is refused with file, line and reason', (_, text, line, reason) => {
    const message = errorIn(text);
    expect(message).toContain(`${file}:${line}: `);
    expect(message).toContain(reason);
  });

  it('that grows without bounds through aliases is refused', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 10; level += 1) {
      lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`);
    }
    expect(errorIn(lines.join('\n'))).toContain('alias');
  });

  it('reports several errors at once, but not hundreds', () => {
    const message = errorIn(steps(...Array.from({ length: 100 }, () => '- {}')));
    expect(message.split('\n')).toHaveLength(6);
    expect(message).toContain('and 95 more');
  });

  it('that does not exist is an error that names it', () => {
    expect(() => loadScenario(join(folder, 'none.yaml'))).toThrow(/none\.yaml does not exist$/);
  });
});
