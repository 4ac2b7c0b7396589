import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { wholeProgram } from '../../../../src/cli/program.ts';
import {
  commandLineOf,
  FILE_FLAGS,
  OPTION_FLAGS,
} from '../../../../src/dashboard/features/start/equivalent-command.ts';
import { afterStart, readDraft, withAddress } from '../../../../src/dashboard/features/start/start-draft.ts';
import {
  draftIssues,
  fieldsOf,
  inputEntries,
  issuesFromError,
  optionEntries,
  withReview,
} from '../../../../src/dashboard/features/start/start-request.ts';
import { recipeOf } from '../../../../src/recipes/registry.ts';
import { JobInput, StartOptions, StartRequest } from '../../../../src/schema/request.ts';
import { testProgram } from '../../../cli/cli-run.ts';

const schemaOf = (schema: z.ZodType) => ({ ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) });
const job = {
  name: 'job',
  title: 'Job',
  summary: '',
  file: false,
  input: schemaOf(JobInput),
  options: schemaOf(StartOptions),
};

const recipeNamed = (name: string) => {
  const command = recipeOf(name).form?.command;
  return command === undefined ? {} : { command };
};

describe('the equivalent command', () => {
  it('quotes arguments for the shell', () => {
    const line = commandLineOf({
      recipe: recipeNamed('goal'),
      dir: '/work/my shop',
      input: { goal: "Don't lose $PRICE", planOnly: true },
      options: { checks: ['npm test', 'npm run lint'], budget: 2, rehearse: true },
    });
    expect(line?.command).toBe(
      `mh do 'Don'\\''t lose $PRICE' --plan-only --check 'npm test' --check 'npm run lint' --budget 2 --rehearse --dir '/work/my shop'`,
    );
    expect(line?.withoutFlag).toEqual([]);
  });

  it('has every flag of a job, and lists values without a flag', () => {
    const line = commandLineOf({
      recipe: recipeNamed('job'),
      dir: '',
      input: {
        task: 'Look',
        write: true,
        review: true,
        interactive: false,
        debate: 2,
        stop: { turns: 5, seconds: 60 },
        scope: { deny: ['dist/**'], maxChangedLines: 10 },
        context: { ticket: '{} 7' },
        repeat: { everyMs: 5_400_000, times: 3 },
        notBefore: Date.UTC(2026, 11, 1, 7, 30),
        guidelines: 'Be kind',
      },
      options: { until: Date.UTC(2026, 11, 2), knownRed: true, maxIterations: 2 },
    });
    expect(line?.command).toBe(
      "mh job Look --write --stop turns=5 --stop time=60s --scope-deny 'dist/**' --max-diff-lines 10 " +
        "--context 'ticket={} 7' --at 2026-12-01T07:30:00.000Z --every 1h30m --times 3 --debate 2 --review " +
        '--until 2026-12-02T00:00:00.000Z --max-iterations 2 --known-red',
    );
    expect(line?.withoutFlag).toEqual(['guidelines']);
  });

  it('shows what was entered where it is no time', () => {
    const options = { until: 'tomorrow' };
    expect(commandLineOf({ recipe: recipeNamed('goal'), dir: '', input: { goal: 'G' }, options })?.command).toBe(
      'mh do G --until tomorrow',
    );
  });

  it('names the work file, and is undefined for work entered in the form', () => {
    const recipe = recipeNamed('tasks');
    expect(
      commandLineOf({ recipe, dir: '', input: { only: ['a', 'b'] }, options: {}, file: 'tasks.yaml' })?.command,
    ).toBe('mh run tasks.yaml --only a,b');
    expect(commandLineOf({ recipe, dir: '', input: { tasks: [] }, options: {} })).toBeUndefined();
    const lineOf = (name: string, input: Record<string, unknown>) =>
      commandLineOf({ recipe: recipeNamed(name), dir: '', input, options: {} })?.command;
    expect(lineOf('debate', { question: 'Is it done?', action: 'Finish' })).toBe(
      "mh debate 'Is it done?' --then Finish",
    );
    expect(lineOf('team', { task: 'Look', roles: ['a', 'b'], write: true })).toBe('mh team Look --roles a,b --write');
    expect(lineOf('cycle', { goal: 'Greet', steps: ['x'] })).toBe('mh cycle Greet --step x');
    expect(lineOf('improve', { rounds: 2 })).toBe('mh improve --rounds 2');
  });

  it('has only commands and flags that exist', async () => {
    const { platform } = testProgram();
    const session = { platform, argv: [], exitCode: 0, program: () => wholeProgram(session) };
    const program = await wholeProgram(session);
    const commands = [
      { name: 'run', flags: FILE_FLAGS },
      ...StartRequest.options.flatMap(({ shape }) => recipeOf(shape.recipe.value).form?.command ?? []),
      ...withReview([job]).flatMap(({ command }) => command ?? []),
    ];
    const missing = commands.flatMap(({ name, flags }) => {
      const options = program.commands.find((each) => each.name() === name)?.options ?? [];
      const words = Object.values({ ...OPTION_FLAGS, ...flags }).map((form) => form.split(' ')[0]);
      return words.filter((flag) => !options.some(({ long }) => long === flag)).map((flag) => `${name} ${flag}`);
    });
    expect(commands.length).toBe(8);
    expect(missing).toEqual([]);
  });

  it('has a flag for every field of the input of a command', () => {
    const withoutFlag = StartRequest.options.flatMap(({ shape }) => {
      const name = shape.recipe.value;
      const command = recipeOf(name).form?.command;
      if (command === undefined) return [];
      const paths = Object.keys(command.flags).map((path) => path.split('.')[0]);
      const fields = Object.keys(shape.input.shape).filter((key) => key !== command.text && !paths.includes(key));
      return fields.map((key) => `${name} ${key}`);
    });
    expect(withoutFlag).toEqual(['job guidelines']);
    expect(Object.keys(StartOptions.shape).filter((key) => !(key in OPTION_FLAGS))).toEqual(['dir', 'workFile']);
  });
});

describe('a draft', () => {
  it('merges the parameters of an address', () => {
    const kept = readDraft(
      JSON.stringify({ recipe: 'goal', dir: '/a', inputs: { job: { task: 'Look' } }, options: { budget: 1 } }),
    );
    const draft = withAddress(kept, new URLSearchParams('recipe=job&template=bugfix&dir=/b'));
    expect(draft).toMatchObject({
      recipe: 'job',
      dir: '/b',
      inputs: { job: { task: 'Look', template: 'bugfix' } },
      options: { budget: 1 },
    });
  });

  it('is reset if the stored text is invalid', () => {
    for (const text of ['{', '7', '[]', '{"inputs":{"job":7},"recipe":7}']) {
      expect(readDraft(text)).toMatchObject({ recipe: '', inputs: {}, options: {} });
    }
  });

  it('keeps options and project after its run was started, and clears the input', () => {
    const draft = readDraft(
      JSON.stringify({
        recipe: 'job',
        dir: '/a',
        inputs: { job: { task: 'Look' }, goal: { goal: 'Later' } },
        options: { title: 'T', budget: 1 },
      }),
    );
    expect(afterStart(draft)).toMatchObject({
      dir: '/a',
      inputs: { job: {}, goal: { goal: 'Later' } },
      options: { budget: 1 },
    });
    expect(afterStart(draft).options).not.toHaveProperty('title');
  });

  it('is validated before it is sent', () => {
    const draft = readDraft(JSON.stringify({ recipe: 'job', options: { maxParallel: 1000 } }));
    const found = draftIssues({ recipe: job, draft, read: undefined });
    expect([...found.keys()].sort()).toEqual(['input.task', 'options.dir', 'options.maxParallel']);
  });

  it('gets server issues at their fields, also if only the error code names the field', () => {
    const known = fieldsOf(job);
    const refusal = (code: string, details = {}) => issuesFromError({ code, message: 'No.', details }, known);
    expect([...refusal('INPUT_INVALID', { issues: ['input.task: too long'] })]).toEqual([['input.task', 'too long']]);
    expect([...refusal('AGENT_UNKNOWN')]).toEqual([['options.agents', 'No.']]);
    expect(refusal('NO_SPACE').size).toBe(0);
  });

  it('has a review with the fields of its pull request, and no field for the file that it reads itself', () => {
    const review = withReview([job]).find(({ startsFromPullRequest }) => startsFromPullRequest);
    expect(review === undefined ? [] : inputEntries(review, undefined).map(({ key }) => key)).toContain('number');
    const options = optionEntries(job).map(({ key }) => key);
    expect(options).toContain('maxParallel');
    expect(options).not.toContain('workFile');
  });

  it('has only the fields that a work file does not set', () => {
    const read = { request: { recipe: 'job', input: { task: 'Look', role: 'review' }, options: {} } };
    const keys = inputEntries(job, {
      file: 'a',
      ok: true,
      format: null,
      recipe: 'job',
      count: 1,
      notes: [],
      mistakes: [],
      summary: [],
      ...read,
    }).map(({ key }) => key);
    expect(keys).not.toContain('task');
    expect(keys).not.toContain('role');
    expect(keys).toContain('priority');
  });
});
