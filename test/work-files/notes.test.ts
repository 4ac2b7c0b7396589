import { expect, it } from 'vitest';
import { InputErrors } from '../../src/work-files/input-errors.ts';
import { InputNotes } from '../../src/work-files/input-notes.ts';
import { parseWork } from '../../src/work-files/parse-work.ts';

const JSONL = '{"id": "a", "prompt": "A"}\n{"id": "b", "template": "Do it",\t"colour": 1}\n';

it.each([
  ['graph.yaml', 'tasks:\n  a:\n    prompt: A\n    shape: box\n', 'graph.yaml:4:5: '],
  ['graph.json', '{"tasks": {"a": {"prompt": "A",\n  "shape": "box"}}}', 'graph.json:2:3: '],
  ['graph.toml', '[tasks.a]\nprompt = "A"\nshape = "box"\n', 'graph.toml:3:1: '],
])('a note about an unknown key of %s has its line and column', (name, text, start) => {
  expect(parseWork(text, name).notes).toContain(`${start}The key "shape" is not understood and was left out.`);
});

it('a note about a key of JSON lines has the line and column of the key', () => {
  const { notes } = parseWork(JSONL, 'items.jsonl', { format: 'bulk' });
  expect(notes.length).toBeGreaterThan(0);
  for (const note of notes) expect(note).toMatch(/^items\.jsonl:2:\d+: /);
});

it('a note that is repeated is shown once, with the first location and how often', () => {
  const text = 'tasks:\n  a: { prompt: A, shape: box }\n  b: { prompt: B, shape: box }\n';
  expect(parseWork(text, 'graph.yaml').notes).toEqual([
    'graph.yaml:2:19: The key "shape" is not understood and was left out. (2 times)',
    expect.stringContaining('These tasks must change files'),
  ]);
});

it('of many notes the first hundred are shown, and how many there are', () => {
  const notes = new InputNotes(new InputErrors('x').file);
  for (let index = 0; index < 105; index += 1) notes.add(`note ${index}`);
  expect([notes.lines().length, notes.lines().at(-1)]).toEqual([101, 'There are 5 more notes of this kind.']);
});
