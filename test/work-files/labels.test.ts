import { describe, expect, it } from 'vitest';
import { recipeOf } from '../../src/recipes/registry.ts';
import { parseWork } from '../../src/work-files/parse-work.ts';
import { plannedWork } from '../../src/work-files/work-plan.ts';
import { given, started } from '../support/given.ts';

const NODE = 'role: review\n    task: T\n    outputs: o';
const FILES: Record<string, string> = {
  'tasks.yaml':
    'tasks:\n  - {id: a, title: A, description: D, check: make a, labels: gpu}\n  - {id: b, title: B, description: D}\n',
  'features.json': '[{"id": "a", "name": "A", "labels": ["gpu"]}, {"id": "b", "name": "B"}]',
  'items.jsonl':
    '{"id": "a", "prompt": "A", "check": "make a", "labels": ["gpu"]}\n{"id": "b", "prompt": "B", "labels": []}\n',
  'items.csv': 'id,prompt,labels\na,Do a,gpu\nb,Do b,\n',
  'workflow.yaml': `nodes:\n  a:\n    ${NODE}\n    labels: [gpu]\n  b:\n    ${NODE}\n`,
};

describe('labels in a work file', () => {
  it.each(Object.keys(FILES))('are required of the host of that task alone: %s', (name) => {
    const work = parseWork(FILES[name] ?? '', name, { roles: ['review'] });
    const planned = plannedWork(work, { tracks: {} });
    expect(planned.map(({ id, labels = [] }) => [id, labels])).toEqual([
      ['a', ['gpu']],
      ['b', []],
    ]);
    const { add } = recipeOf(work.recipe).unfold(given(started()).state, work.input, undefined);
    expect(add.map((spec) => [spec.name, spec.labels ?? []])).toEqual([
      ['a', ['gpu']],
      ['b', []],
    ]);
    const own = add.flatMap(({ gates }) => gates).filter((gate) => gate.gate === 'command' && gate.run === 'make a');
    for (const gate of own) expect(gate).toMatchObject({ labels: ['gpu'] });
    expect(own).toHaveLength(/make a/.test(FILES[name] ?? '') ? 1 : 0);
  });

  it('can be a default of the nodes of a workflow, which a node replaces', () => {
    const text = `defaults:\n  labels: mac\nnodes:\n  a:\n    ${NODE}\n    labels: []\n  b:\n    ${NODE}\n`;
    const planned = plannedWork(parseWork(text, 'workflow.yaml', { roles: ['review'] }), { tracks: {} });
    expect(planned.map(({ labels }) => labels)).toEqual([[], ['mac']]);
  });
});
