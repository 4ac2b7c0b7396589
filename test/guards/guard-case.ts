import type { ChangedPath } from '../../src/gates/gate.ts';
import { type Guarded, guard } from '../../src/guards/guards.ts';
import { GateSpec } from '../../src/schema/gate.ts';

type Files = Record<string, string>;
/** A base and a candidate as files, and what the user has configured. */
export interface Case {
  base?: Files;
  candidate?: Files;
  run?: string | string[];
  special?: string[];
  allow?: string[];
  config?: string[];
  /** Files that the task was given, of whom its own check may speak. */
  targets?: string[];
  /** Whether the command measures the work. */
  measures?: boolean;
  /** The files that the check opens or executes while it runs; without them it is not traced. */
  traced?: string[];
}

/** What the guard says to the difference of the two. */
export function judge({
  base = {},
  candidate = {},
  run = 'npm test',
  special = [],
  allow = [],
  config = [],
  targets = [],
  measures = false,
  traced,
}: Case): Promise<Guarded> {
  const changed: ChangedPath[] = [];
  for (const path of new Set([...Object.keys(base), ...Object.keys(candidate)])) {
    if (base[path] === candidate[path]) continue;
    const status = base[path] === undefined ? 'added' : candidate[path] === undefined ? 'deleted' : 'modified';
    changed.push({ path, status });
  }
  return guard({
    changed,
    tests: [],
    config,
    allow,
    registries: ['https://packages.example', 'registry+https://packages.example'],
    gates: [
      GateSpec.parse({
        ...{ gate: 'command', name: 'check', run, own: targets.length > 0 },
        ...(measures ? { measure: { metric: 'number', better: 'lower' } } : {}),
      }),
    ],
    special: new Map(special.map((path) => [path, { kind: 'link', target: candidate[path] ?? '' }])),
    targets,
    ...(traced === undefined ? {} : { trace: async () => traced }),
    base: { ...filesIn(base), search: async (pattern) => search(base, pattern) },
    candidate: { ...filesIn(candidate), search: async (pattern) => search(candidate, pattern) },
  });
}

function filesIn(files: Files) {
  return { paths: new Set(Object.keys(files)), read: async (path: string) => files[path] };
}

function search(files: Files, pattern: string): string[] {
  return Object.keys(files).filter((path) => new RegExp(pattern).test(files[path] ?? ''));
}

/** A package.json or lockfile as npm writes it. */
export const manifest = (content: object) => JSON.stringify(content, null, 2);
/** The paths that are held. */
export const held = async (options: Case) => (await judge(options)).held.map((item) => item.path);
/** The answer to a change that nobody needs to look at. */
export const free = { overlay: [], held: [] };
