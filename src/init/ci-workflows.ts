import { parseDocument } from 'yaml';
import type { CheckName, FoundCheck } from './ecosystem.ts';
import type { ProjectFiles } from './project-files.ts';

/** A command line of a workflow that tests, lints, type-checks or builds. */
export type WorkflowCommand = { name: CheckName; run: string; file: string };

const FOLDER = '.github/workflows';
const MAX_FILES = 20;
/** A line that means the same outside the workflow: plain words without variables, quotes or shell operators. */
const PLAIN_LINE = /^[\w@%+=:,./ -]+$/;
/** Programs that run what the project itself declares, as the commands of detection do. */
const PROGRAMS =
  /^(npm|pnpm|yarn|bun|uv|poetry|pdm|pipenv|hatch|tox|nox|pytest|mypy|ruff|python3?|make|just|cargo|go|mix|bundle|composer|dotnet|deno|swift|\.\/(gradlew|mvnw)) /;
const PURPOSES: readonly (readonly [CheckName, RegExp])[] = [
  ['typecheck', /\b(mypy|pyright|tsc|type-?check|check[:-]types|types)\b/],
  ['lint', /\b(lint|eslint|biome|ruff|flake8|clippy|rubocop|xo)\b/],
  ['test', /\b(tests?|pytest|tox|nox|runtests\.py|vitest|jest|ava|rspec|phpunit|unittest)\b/],
  ['build', /\bbuild\b/],
];
const INSTALLS =
  /\b(install|uninstall|remove|rm|sync|add|ci|upload|publish|deploy|login|pull|push|apt-get|brew|echo|cd|mkdir|export)\b/;

/** What the workflows of GitHub Actions run, in their order; each command once. */
export async function workflowCommands(files: ProjectFiles): Promise<WorkflowCommand[]> {
  const folder = await files.enter(FOLDER);
  const names = folder?.names.filter((name) => /\.ya?ml$/.test(name)).slice(0, MAX_FILES) ?? [];
  const found = new Map<string, WorkflowCommand>();
  for (const name of names) {
    const file = `${FOLDER}/${name}`;
    for (const run of stepLines((await folder?.read(name)) ?? '')) {
      const purpose = INSTALLS.test(run) ? undefined : PURPOSES.find(([, pattern]) => pattern.test(run))?.[0];
      if (purpose !== undefined && !found.has(run)) found.set(run, { name: purpose, run, file });
    }
  }
  return [...found.values()];
}

/** The commands that can be used as they are, the first for each purpose that nothing else shows. */
export function workflowChecks(commands: readonly WorkflowCommand[], known: ReadonlySet<CheckName>): FoundCheck[] {
  const checks: FoundCheck[] = [];
  for (const { name, run } of commands) {
    const isNew = !known.has(name) && !checks.some((check) => check.name === name);
    if (isNew && PLAIN_LINE.test(run) && PROGRAMS.test(`${run} `)) checks.push({ name, run });
  }
  return checks;
}

function stepLines(text: string): string[] {
  const document = parseDocument(text, { prettyErrors: false });
  if (document.errors.length > 0) return [];
  const jobs = valuesOf(field(document.toJS({ maxAliasCount: 10 }), 'jobs'));
  const steps = jobs.flatMap((job) => valuesOf(field(job, 'steps')));
  return steps.flatMap((step) => {
    const run = field(step, 'run');
    if (typeof run !== 'string' || field(step, 'working-directory') !== undefined) return [];
    const lines = run.replace(/\\\n\s*/g, ' ').split('\n');
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  });
}

function field(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([name]) => name === key)?.[1]
    : undefined;
}

function valuesOf(value: unknown): unknown[] {
  return typeof value === 'object' && value !== null ? Object.values(value) : [];
}
