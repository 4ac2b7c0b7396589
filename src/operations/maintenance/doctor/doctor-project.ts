import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { findOnPath } from '../../../agents/program.ts';
import { loadConfig } from '../../../config/load.ts';
import { checksOfRun } from '../../../core/project/configured-checks.ts';
import { exists } from '../../../git/path-kind.ts';
import { inspectRepository } from '../../../git/read/repository.ts';
import { schemaState } from '../../../init/schema-file.ts';
import type { Config } from '../../../schema/config.ts';
import type { DoctorLine } from './doctor-line.ts';
import { examineServers } from './doctor-servers.ts';

export type ProjectExamination = { dir: string; env: NodeJS.ProcessEnv; online: boolean };

type Command = string | readonly string[];
type CheckedProject = { root: string; path: string; config: Config };

const Scripts = z.object({ scripts: z.record(z.string(), z.unknown()) });

/** Checks what the settings of a project refer to: commands, MCP servers, a browser, files. None of it is executed. */
export async function examineProject({ dir, env, online }: ProjectExamination): Promise<DoctorLine[]> {
  const root = await inspectRepository(dir).then(
    (found) => found.root,
    () => dir,
  );
  // Invalid settings are reported on a separate line.
  const config = await loadConfig({ dir: root, env }).catch(() => undefined);
  if (config === undefined) return [];
  const project = { root, path: env.PATH ?? '', config };
  return [
    ...(await commandLines(project)),
    ...(await examineServers({ ...project, env, online })),
    ...(await fileLines(project)),
  ];
}

async function commandLines(project: CheckedProject): Promise<DoctorLine[]> {
  const { workspace } = project.config;
  const named = checksOfRun(project.config, []).map((check) =>
    typeof check === 'string' ? { name: check, run: check } : { name: check.name ?? textOf(check.run), run: check.run },
  );
  const commands = [
    ...named.map(({ name, run }) => ({ name: `check ${shorten(name)}`, run })),
    ...workspace.setup.map((run, index) => ({ name: `set-up ${index + 1}`, run })),
  ];
  return Promise.all(commands.map(({ name, run }) => commandLine(project, name, run)));
}

async function commandLine(project: CheckedProject, name: string, run: Command): Promise<DoctorLine> {
  const line = { name, required: false, fix: null };
  const text = textOf(run);
  const started = startedProgram(run);
  if (started === undefined) return { ...line, ok: true, detail: `${text}: not checked, because it needs a shell` };
  const dir = join(project.root, started.folder);
  const found = findOnPath(started.program, { dir, path: project.path });
  if ('missing' in found)
    return missingProgram(project, { ...line, ok: false, detail: `${text}: ${found.missing}` }, started.program);
  const script = packageScript(run);
  if (script !== undefined && !(await hasScript(dir, script))) {
    const fix = `Add the script "${script}" to package.json, or correct the command: manyhands config list`;
    return { ...line, ok: false, detail: `${text}: package.json has no script "${script}"`, fix };
  }
  return { ...line, ok: true, detail: `${text}: ${found.found}` };
}

/** A program inside the project may exist only after its set-up has run. */
function missingProgram({ config }: CheckedProject, line: DoctorLine, program: string): DoctorLine {
  if (program.includes('/') && config.workspace.setup.length > 0)
    return { ...line, ok: true, detail: `${line.detail}; the set-up may create it` };
  return { ...line, fix: `Install ${program}, or correct the command: manyhands config list` };
}

async function hasScript(dir: string, script: string): Promise<boolean> {
  try {
    const file = join(dir, 'package.json');
    if (!(await stat(file)).isFile()) return false;
    const { scripts } = Scripts.parse(JSON.parse(await readFile(file, 'utf8')));
    return Object.hasOwn(scripts, script);
  } catch {
    // Without a package.json that can be read there is no script in it.
    return false;
  }
}

async function fileLines({ root, config }: CheckedProject): Promise<DoctorLine[]> {
  const lines: DoctorLine[] = [];
  const named = [config.instructions, config.project.testInstructions, ...config.project.keyFiles];
  for (const path of named.filter((each) => each !== undefined)) {
    if (await exists(join(root, path))) continue;
    const fix = 'Create the file, or remove it from the settings.';
    lines.push({
      name: 'file',
      ok: false,
      required: false,
      detail: `${path} is in the settings but does not exist`,
      fix,
    });
  }
  if ((await schemaState(root)) === 'old') {
    const detail = '.manyhands/config.schema.json is of another version';
    lines.push({
      name: 'schema',
      ok: false,
      required: false,
      detail,
      fix: 'Run manyhands init --yes: it updates that file only.',
    });
  }
  return lines;
}

function textOf(run: Command): string {
  return typeof run === 'string' ? run : run.join(' ');
}

function shorten(name: string): string {
  return name.length > 30 ? `${name.slice(0, 29)}…` : name;
}

/** The program that a configured command starts, and its working folder; undefined if the command needs a shell. */
export function startedProgram(command: string | readonly string[]): { program: string; folder: string } | undefined {
  if (typeof command !== 'string') return command[0] === undefined ? undefined : { program: command[0], folder: '.' };
  const entered = /^\s*cd\s+([\w./-]+)\s*&&\s*(.*)$/s.exec(command);
  const text = entered?.[2] ?? command;
  const program = /^\s*(?:[A-Za-z_]\w*=[\w./:@%+,-]*\s+)*([\w./+@-]+)(?=\s|$)/.exec(text)?.[1];
  return program === undefined ? undefined : { program, folder: entered?.[1] ?? '.' };
}

/** The script of a package.json that a command runs, if it runs one. */
export function packageScript(command: string | readonly string[]): string | undefined {
  const text = typeof command === 'string' ? command.replace(/^\s*cd\s+[\w./-]+\s*&&\s*/, '') : command.join(' ');
  const named = /^\s*(?:npm|pnpm|yarn|bun)\s+run\s+(?:-\S+\s+)*([\w:.-]+)/.exec(text)?.[1];
  return named ?? (/^\s*(?:npm|pnpm|yarn)\s+(?:t|test)(?=\s|$)/.test(text) ? 'test' : undefined);
}
