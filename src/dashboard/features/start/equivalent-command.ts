import { isSchema } from '../../ui/form/json-schema.ts';
import { durationText } from '../../ui/form/parse-input.ts';

type Values = Readonly<Record<string, unknown>>;
type StartInput = { recipe: string; dir: string; input: Values; options: Values; file?: string };

/** The equivalent command, and the values that have no flag. */
export type CommandLine = { command: string; withoutFlag: readonly string[] };

type Flag = (value: unknown) => string[];

const OPTION_FLAGS: Readonly<Record<string, Flag>> = {
  agents: each('--agent'),
  checks: each('--check'),
  land: one('--land'),
  budget: one('--budget'),
  base: one('--base'),
  rehearse: bare('--rehearse'),
  scenario: one('--scenario'),
  maxParallel: one('--max-parallel'),
  labels: each('--label'),
  title: one('--title'),
  collection: one('--collection'),
};

const INPUT_FLAGS: Readonly<Record<string, Readonly<Record<string, Flag>>>> = {
  goal: { goal: text, planOnly: bare('--plan-only') },
  cycle: {
    goal: text,
    cycles: one('--cycles'),
    threshold: one('--threshold'),
    steps: each('--step'),
    planOnly: bare('--plan-only'),
  },
  debate: {
    question: text,
    sides: one('--sides'),
    rounds: one('--rounds'),
    action: one('--then'),
    loops: one('--loops'),
  },
  team: { task: text, roles: listed('--roles'), write: bare('--write') },
  improve: {
    focus: text,
    rounds: one('--rounds'),
    top: one('--top'),
    yes: bare('--yes'),
    planOnly: bare('--plan-only'),
  },
  job: {
    task: text,
    role: one('--role'),
    write: bare('--write'),
    after: each('--after'),
    priority: one('--priority'),
    stop: stopFlags,
    scope: scopeFlags,
    outputBytes: one('--output-limit'),
    retry: one('--retry'),
    tier: one('--tier'),
    template: one('--template'),
    context: (facts) =>
      Object.entries(isSchema(facts) ? facts : {}).flatMap(([key, fact]) => ['--context', `${key}=${fact}`]),
    notBefore: (at) => ['--at', new Date(Number(at)).toISOString()],
    repeat: repeatFlags,
  },
  review: {
    number: one('--pr'),
    automerge: bare('--automerge'),
    push: bare('--push'),
    yes: bare('--yes'),
  },
};
const FILE_FLAGS: Readonly<Record<string, Flag>> = {
  only: listed('--only'),
  execute: bare('--execute'),
  maxParallel: one('--max-parallel'),
};
const VERBS: Readonly<Record<string, string>> = {
  goal: 'do',
  cycle: 'cycle',
  debate: 'debate',
  team: 'team',
  improve: 'improve',
  job: 'job',
  review: 'review',
};

/** The command that starts the same run; undefined if the recipe needs a work file. */
export function commandLineOf({ recipe, dir, input, options, file }: StartInput): CommandLine | undefined {
  const verb = file === undefined ? VERBS[recipe] : 'run';
  if (verb === undefined) return undefined;
  const own = flagsFor(input, file === undefined ? (INPUT_FLAGS[recipe] ?? {}) : FILE_FLAGS);
  const shared = flagsFor(options, OPTION_FLAGS);
  const words = ['mh', verb, ...(file === undefined ? [] : [file]), ...own.words, ...shared.words];
  if (dir !== '') words.push('--dir', dir);
  return { command: words.map(quoted).join(' '), withoutFlag: [...own.withoutFlag, ...shared.withoutFlag] };
}

function flagsFor(values: Values, flags: Readonly<Record<string, Flag>>): { words: string[]; withoutFlag: string[] } {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined);
  return {
    words: Object.entries(flags).flatMap(([key, flag]) => (values[key] === undefined ? [] : flag(values[key]))),
    withoutFlag: entries.filter(([key]) => flags[key] === undefined).map(([key]) => key),
  };
}

function text(value: unknown): string[] {
  return [String(value)];
}

function listed(flag: string): Flag {
  return (value) => [flag, Array.isArray(value) ? value.join(',') : String(value)];
}

function one(flag: string): Flag {
  return (value) => [flag, String(value)];
}

function each(flag: string): Flag {
  return (value) => (Array.isArray(value) ? value.flatMap((item) => [flag, String(item)]) : [flag, String(value)]);
}

function bare(flag: string): Flag {
  return (value) => (value === true ? [flag] : []);
}

function stopFlags(stop: unknown): string[] {
  if (!isSchema(stop)) return [];
  const { turns, budget, seconds, silenceSeconds, completion } = stop;
  return [
    ...(turns === undefined ? [] : ['--stop', `turns=${turns}`]),
    ...(budget === undefined ? [] : ['--stop', `budget=${budget}`]),
    ...(seconds === undefined ? [] : ['--stop', `time=${seconds}s`]),
    ...(silenceSeconds === undefined ? [] : ['--stop', `silence=${silenceSeconds}s`]),
    ...(completion === true ? ['--stop', 'completion'] : []),
  ];
}

function scopeFlags(scope: unknown): string[] {
  if (!isSchema(scope)) return [];
  const { allow, deny, maxChangedLines } = scope;
  return [
    ...(allow === undefined ? [] : each('--scope-allow')(allow)),
    ...(deny === undefined ? [] : each('--scope-deny')(deny)),
    ...(maxChangedLines === undefined ? [] : ['--max-diff-lines', String(maxChangedLines)]),
  ];
}

function repeatFlags(repeat: unknown): string[] {
  if (!isSchema(repeat)) return [];
  const { everyMs, times } = repeat;
  return [
    ...(everyMs === undefined ? [] : ['--every', durationText(everyMs).replaceAll(' ', '')]),
    ...(times === undefined ? [] : ['--times', String(times)]),
  ];
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
