import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WorkFile } from '../../src/schema/work-file.ts';
import { parseWork, type WorkOptions } from '../../src/work-files/parse-work.ts';
import { plannedWork } from '../../src/work-files/work-plan.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples', 'work');
const FORMATS: Record<string, string> = {
  'dag.json': 'dag',
  'dag.toml': 'dag',
  'dag.yaml': 'dag',
  'features.json': 'features',
  'task_config.yaml': 'tasks',
  'tasks.csv': 'bulk',
  'tasks.jsonl': 'bulk',
  'tasks.yaml': 'tasks',
  'todo.md': 'todo',
  'workflow.yaml': 'workflow',
};
const ROLES = ['implement', 'requirements', 'research', 'review', 'testing'];

describe('the format of a work file', () => {
  it('has an example of every kind', () => {
    expect(readdirSync(EXAMPLES).sort()).toEqual(Object.keys(FORMATS));
  });

  it.each(Object.entries(FORMATS))('is known by the content of %s, under any name', (name, format) => {
    for (const shown of [name, 'work', 'work.txt', 'x.yaml']) {
      if (format === 'todo' && shown === 'x.yaml') continue;
      expect(example(name, shown)).toMatchObject({ format });
    }
  });

  it('accepts an empty test command of another tool as none', () => {
    const text = 'tasks:\n- {id: a, title: A, description: D, test_command: ""}\n';
    const work = parseWork(text, 'task_config.yaml');
    expect(work).toMatchObject({ recipe: 'tasks', input: { tasks: [{ id: 'a' }] } });
    expect(JSON.stringify(work)).not.toContain('"check"');
  });

  it.each(Object.keys(FORMATS))('gives what its recipe takes: %s', (name) => {
    const work = example(name);
    expect(WorkFile.parse(work)).toEqual(work);
    expect(plannedWork(work, { tracks: {} }).length).toBeGreaterThan(0);
  });

  it('shows features in the tracks of the settings', () => {
    const work = parseWork('[{"id": 1, "name": "N"}, {"id": 2, "name": "M", "category": "Site"}]', 'features.json');
    const site = { categories: ['site'], default: false, features: 1, agent: 'codex' };
    const tracks = { core: { ...site, categories: [], default: true, agent: undefined }, site };
    expect(plannedWork(work, { tracks }).map(({ id, track, agent }) => [id, track, agent])).toEqual([
      ['1', 'core', undefined],
      ['2', 'site', 'codex'],
    ]);
  });

  it('can be forced, and then errors are reported in its words', () => {
    const text = readFileSync(join(EXAMPLES, 'tasks.yaml'), 'utf8');
    expect(() => parseWork(text, 'tasks.yaml', { format: 'workflow' })).toThrow(/nodes: missing/);
    expect(parseWork(text, 'tasks.yaml', { format: 'todo' }).format).toBe('todo');
  });

  it('is a list of features when an array holds nothing that looks like bulk work', () => {
    expect(parseWork('[{"id": 1, "name": "N"}]', 'x.json').format).toBe('features');
    expect(parseWork('[{"id": 1, "prompt": "P"}]', 'x.json').format).toBe('bulk');
  });
});

describe('a task file of another tool', () => {
  it('is read with its own names, and what is not used is said', () => {
    const work = example('task_config.yaml');
    expect(work.input).toMatchObject({
      tasks: [
        {
          id: 'add-hello',
          branch: 'feature/add-hello',
          files: ['hello.txt'],
          check: "grep -riq hello --include='*.txt' .",
        },
        { files: [] },
      ],
    });
    expect(work.input).not.toHaveProperty('pr');
    expect(work.notes.join('\n')).toMatch(/settings\.base_branch is not used: name it with --base/);
  });

  it('may have keys that nobody knows: they are named, not dropped in silence', () => {
    const text = '{"features": [{"id": 1, "name": "N", "estimate": 3, "failure_reason": "x"}], "version": 2}';
    const { notes } = parseWork(text, 'features.json', { file: 'features.json' });
    expect(notes).toEqual([
      'features.json:1:78: The key "version" is not understood and was left out.',
      'features.json:1:38: The key "estimate" is not understood and was left out.',
      'features.json:1:53: failure_reason is not used: each run finds its own reasons.',
    ]);
  });
});

describe('bulk work', () => {
  it('fills in templates once', () => {
    const text = '{"template": "{{ a }} {{b}}", "vars": {"a": "{{b}}", "b": "$& x"}}\n{"prompt": "p {{c}}"}\n';
    expect(parseWork(text, 'x.jsonl').input).toMatchObject({
      items: [{ prompt: '{{b}} $& x' }, { prompt: 'p {{c}}' }],
    });
  });

  it('takes the columns of a table as values of its templates', () => {
    expect(example('tasks.csv').input).toMatchObject({
      items: [{ id: 'ann', prompt: 'Write a greeting for Ann into ann.txt', files: ['ann.txt'] }, { id: 'bob' }],
      maxParallel: 16,
    });
  });

  it('takes paths as Windows writes them, and none that leads out of the project', () => {
    const line = (target: string) =>
      `${JSON.stringify({ target, instruction: 'Do', allowed_side_files: ['src\\b.py'] })}\n`;
    expect(parseWork(line('src\\a.py'), 'x.jsonl').input).toMatchObject({
      items: [{ files: ['src/a.py'], sideFiles: ['src/b.py'] }],
    });
    for (const target of ['..\\a.py', 'C:\\a.py', '\\\\host\\a.py', 'src\\..\\..\\a.py'])
      expect(() => parseWork(line(target), 'x.jsonl'), target).toThrow(/x\.jsonl:1:11: .*inside the project/);
  });

  it('titles an item by its file and the first paragraph of its prompt', () => {
    const row = { target: 'a.py', instruction: 'Add a docstring.\n\nOne line is enough.', metadata: { ticket: 7 } };
    const work = parseWork(`${JSON.stringify(row)}\n`, 'x.jsonl');
    expect(plannedWork(work, { tracks: {} }).map(({ title }) => title)).toEqual(['a.py: Add a docstring.']);
  });

  it("maps the other tool's fields, and names lines that have no id after their line", () => {
    const text = `${JSON.stringify({
      target: './src/a.py',
      instruction: 'Do',
      bucket: 'src',
      priority: 50,
      timeout_seconds: 60,
      max_attempts: 2,
      verify_commands: 'a;;b\n{python} -m py_compile {target}',
      require_patterns: ['^x'],
      allowed_side_files: ['src/b.py'],
      metadata: { owner: 'Ann' },
      item_type: 'file',
    })}\n`;
    const work = parseWork(`\n${text}${text}`, 'x.jsonl');
    expect(work.input).toEqual({
      items: [
        {
          id: 'line-2',
          prompt: 'Do\n\nDetails:\n- owner: Ann',
          files: ['src/a.py'],
          bucket: 'src',
          priority: 10,
          timeoutSeconds: 60,
          attempts: 2,
          check: ['a', 'b', 'python3 -m py_compile src/a.py'],
          requirePatterns: ['^x'],
          sideFiles: ['src/b.py'],
        },
      ],
      maxParallel: 16,
    });
    expect(work.notes.join('\n')).toMatch(/Line 3 is the same as line 2/);
  });

  it('gives lines without words of their own the common prompt', () => {
    const work = parse('{"target": "/p/a.py"}\n', { prompt: 'Add types', root: '/p' });
    expect(work.input).toMatchObject({ items: [{ prompt: 'Add types', files: ['a.py'] }] });
  });
});

describe('a workflow', () => {
  it('puts a gate on the last of the nodes that it judges, and its followers behind all of them', () => {
    const nodes = ['a', 'b', 'c'].map(
      (id) => `  ${id}: {role: review, task: T, outputs: o${id === 'c' ? ', needs: g' : ''}}`,
    );
    const text = `nodes:\n${nodes.join('\n')}\n  g: {type: gate, needs: [b, a]}\n`;
    expect(parse(text).input).toMatchObject({
      nodes: [
        { id: 'a', gates: [] },
        {
          id: 'b',
          gates: [{ id: 'g', needs: ['a'], passWhen: ['nodes["a"].status == "pass"', 'nodes["b"].status == "pass"'] }],
        },
        { id: 'c', needs: ['b', 'a'] },
      ],
      loopGuard: 50,
    });
  });

  it('refers to nodes whose names are no identifiers', () => {
    const text =
      'nodes:\n  unit-tests: {role: testing, task: T, outputs: o}\n  g: {type: gate, needs: unit-tests, pass_when: \'unit-tests.status == "unit-tests.x"\'}\n';
    expect(parse(text).input).toMatchObject({
      nodes: [{ gates: [{ passWhen: ['nodes["unit-tests"].status == "unit-tests.x"'] }] }],
    });
  });

  it('replaces a role of the other tool by an existing one, with a note', () => {
    const work = example('workflow.yaml');
    expect(work.input).toMatchObject({
      nodes: [{}, { role: 'implement', access: 'write' }, {}, { role: 'implement' }],
    });
    expect(work.notes.join('\n')).toMatch(/role implementation is replaced by implement/);
  });

  it('demands what each role hands over, unless the node says something else', () => {
    expect(example('workflow.yaml').input).toMatchObject({
      nodes: [
        { outputSchema: { required: ['status', 'summary', 'requirements', 'boundaries', 'acceptance_criteria'] } },
        { writeScope: { allow: ['hello.txt'], deny: ['.env'], maxChangedLines: 50 } },
        {},
        {},
      ],
    });
  });
});

it('names the import for the settings of another tool', () => {
  expect(() => parseWork('[orchestrator]\nmax_parallel = 2\n[routing]\nauto_fallback = true\n', 'config.toml')).toThrow(
    /settings of another tool, which manyhands init --import reads/,
  );
  expect(() => parseWork('a: 1\n', 'x.yaml')).toThrow(/say what it is with --format/);
});

describe('a graph of another tool', () => {
  it('becomes a workflow whose Python conditions are CEL', () => {
    const work = example('dag.toml');
    expect(work).toMatchObject({
      recipe: 'workflow',
      options: { maxParallel: 4 },
      input: {
        nodes: [
          { id: 'look', access: 'read', role: 'research', tier: 'light', timeoutSeconds: 300 },
          { id: 'hello', condition: "!( outputs.get('look', {}).get('found') == true)" },
          { id: 'polish', loop: { max: 3, until: "outputs.get('polish', {}).get('friendly') == true" } },
        ],
      },
    });
  });

  it('keeps the title of a task', () => {
    const text = 'tasks:\n  - {id: a, title: Add a parser, prompt: Write it.}\n';
    expect(parse(text)).toMatchObject({ input: { nodes: [{ id: 'a', title: 'Add a parser' }] } });
  });

  it('waits for what any of depends_on, needs and inputs names, and leaves no other word for it out', () => {
    const text =
      'tasks:\n  - {id: a, prompt: Do it.}\n  - {id: b, prompt: Do it., needs: a}\n  - {id: c, prompt: Do it., depends_on: [a], inputs: [b]}\n';
    expect(parse(text)).toMatchObject({ input: { nodes: [{}, { needs: ['a'] }, { needs: ['a', 'b'] }] } });
    const other = text.replace('needs:', 'requires:').replace('id: c,', 'id: c, agent: codex,');
    expect(() => parse(other)).toThrow(/:3:.*did you mean "needs"\?\n.*:4:.*did you mean "provider"\?/);
  });

  it('says what has no counterpart, and runs no hooks', () => {
    const text =
      'name: x\nhooks: {on_task_start: "rm -rf /"}\ntasks:\n  a: {prompt: P, max_turns: 3, model: gpt-9, shape: round}\n';
    expect(parse(text).notes).toEqual([
      'work:2:1: hooks are not run: nothing in a work file may start programs by itself.',
      'work:4:46: The key "shape" is not understood and was left out.',
      'work:4:18: max_turns is not used: set it in the config as limits.turns.',
      'work:4:32: model: gpt-9 is not used: models belong to agents; set it in the config of the agent.',
      'These tasks must change files: a. One that only reports needs output_format: json or is_read_only: true.',
    ]);
  });

  it.each([
    ['Analyze the structure of the code', true],
    ['分析代码库结构，识别关键组件', true],
    ['审查全部改动并生成汇总报告', true],
    ['Review the parser and fix what is wrong', false],
    ['根据分析结果重构已识别的组件', false],
    ['Write a parser', false],
  ])('lets a task that only reports end without a change: %s', (prompt, answers) => {
    const { input, notes } = parse(JSON.stringify({ tasks: { a: { prompt } } }));
    expect(input).toMatchObject({ nodes: [answers ? { id: 'a', answers } : { id: 'a' }] });
    expect(notes.some((note) => note.startsWith('These tasks must change files: a'))).toBe(!answers);
  });

  it('requests the JSON of tasks that return it or whose output is used, and lets them end without a change', () => {
    const tasks = {
      json: { prompt: 'P', output_format: 'json' },
      schema: { prompt: 'P', output_schema: { type: 'object', properties: { bugs: {} }, required: ['bugs'] } },
      linked: { prompt: 'P' },
      judged: { prompt: 'P' },
      worded: { prompt: '处理。\n返回 JSON 格式：{}' },
      text: { prompt: 'Return JSON: {}', output_format: 'text' },
      looped: { prompt: 'P', loop: { until_condition: 'ok == True' } },
      endless: { prompt: 'P', loop: { until_condition: '' } },
      last: {
        prompt: 'P',
        depends_on: ['linked', 'judged'],
        condition: "outputs.get('judged', {}).get('ok')",
        links: [{ upstream_task: 'linked', output_path: 'x', input_key: 'x' }],
        transform: [{ source_path: 'json.files[0]', target_key: 'y' }],
      },
    };
    const { input } = parse(JSON.stringify({ tasks }));
    const nodes = 'nodes' in input ? input.nodes : [];
    expect(nodes.filter(({ answers }) => answers).map(({ id, outputSchema }) => [id, outputSchema])).toEqual([
      ['json', { type: 'object' }],
      ['schema', tasks.schema.output_schema],
      ['linked', { type: 'object' }],
      ['judged', { type: 'object' }],
      ['worded', { type: 'object' }],
      ['looped', { type: 'object' }],
    ]);
    expect(nodes.at(-1)?.reads, 'it gets what its placeholders stand for').toEqual(['linked', 'json']);
  });
});

describe('a to-do list', () => {
  it('is doubted when most of its bullets are not tasks', () => {
    const notes = (name: string, text: string) => parseWork(text, name).notes;
    const readme = '# Shop\n\n- **Fast**: no waiting\n- Written in Go\n- [Docs](docs)\n- [ ] Add a cart\n';
    const doubt = ['This may not be a to-do list: only 1 of its 4 bullets look like tasks.'];
    expect(notes('README.md', readme)).toEqual(doubt);
    expect(notes('notes.md', readme)).toEqual(doubt);
    expect(notes('README.md', '# Shop\n\nIt sells things.\n')).toEqual([
      'This may not be a to-do list: it has no list of tasks.',
    ]);
    expect(notes('todo.md', readme), 'its name says what it is').toEqual([]);
    expect(notes('notes.md', '- Add a cart\n  - a basket\n- Fix the prices\n- 更新文档\n')).toEqual([]);
    expect(parseWork(readme, 'README.md', { format: 'todo' }).notes, 'so does --format').toEqual([]);
  });

  it('has entries in its lists, ticked off or not, but none in code', () => {
    const text = '# Plan\n\n- [ ] one\n* [X] two\n  1. three\n\n```\n- code\n```\n- four\n';
    expect(parseWork(text, 'todo.md').input).toMatchObject({
      entries: [
        { line: 3, text: 'one', done: false },
        { line: 4, text: 'two', done: true },
        { line: 5, text: 'three', done: false },
        { line: 10, text: 'four', done: false },
      ],
    });
  });
});

function example(name: string, shown = name): WorkFile {
  return parseWork(readFileSync(join(EXAMPLES, name), 'utf8'), shown, { roles: ROLES });
}

function parse(text: string, options: WorkOptions = {}): WorkFile {
  return parseWork(text, 'work', { roles: ROLES, ...options });
}
