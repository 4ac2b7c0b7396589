import { z } from 'zod';
import { TasksInput, type WorkFile, WorkTask } from '../../schema/work-file.ts';
import { checked, keysOf, type Reading, reportUnknownKeys } from '../../work-files/checked.ts';
import { checkGraph, type GraphNode, looseNode } from '../../work-files/graph-check.ts';
import { FileId, FileLabels, oneOrMany } from '../../work-files/listed.ts';
import { isRecord, type Path } from '../../work-files/source.ts';
import { type FileRequest, type FileStart, hasPullRequestEach, withLanding } from '../file-request.ts';
import { plannedTitle, type RecipeWorkFile } from '../recipe-work-file.ts';

const Files = oneOrMany(WorkTask.shape.files.element).optional();
const Branch = z
  .string()
  .max(200)
  .regex(
    /^(?![-/.])(?!.*(?:\.\.|\/\/|\/\.|@\{|\.lock(?:\/|$)|[/.]$))[^\s\p{Cc}~^:?*[\\]+$/u,
    'must be a name that git accepts for a branch',
  );

const FileTask = z.object({
  id: FileId,
  title: WorkTask.shape.title,
  description: WorkTask.shape.description,
  branch: Branch.optional(),
  files: Files,
  files_hint: Files,
  needs: oneOrMany(FileId).optional(),
  depends_on: oneOrMany(FileId).optional(),
  check: WorkTask.shape.check,
  /** Another tool writes an empty text where there is none. */
  test_command: z.preprocess((value) => (value === '' ? undefined : value), WorkTask.shape.check),
  role: WorkTask.shape.role,
  agent: WorkTask.shape.agent,
  labels: FileLabels,
});

const FOREIGN_KEYS = ['files_hint', 'test_command', 'depends_on'];
const SETTINGS: Record<string, string> = {
  base_branch: 'name it with --base, or in the config as git.base',
  destination_branch: 'set it in the config as git.destination',
  worktree_dir: 'set it in the config as workspace.dir',
  repo_slug: 'set it in the config as git.repo',
  auto_cleanup: 'manyhands clean removes what is saved and no longer needed',
};
const MAX_ENTRIES = 1_000;

/** A list of tasks: `tasks.yaml` of our own, or `task_config.yaml` as another tool writes it. */
export const tasksWorkFile: RecipeWorkFile<TasksInput> = {
  formats: [
    {
      format: 'tasks',
      keys: ['tasks'],
      matches: (content) => isRecord(content) && 'tasks' in content,
      read: readTasks,
    },
  ],
  noun: ['task', 'tasks'],
  includesNeeds: true,
  request: requestOf,
  ids: ({ tasks }) => tasks.map(({ id }) => id),
  plan: ({ tasks }) =>
    tasks.map(({ id, title, role, needs, check, agent, labels }) => ({
      id,
      title: plannedTitle(title),
      role: role ?? 'implement',
      needs,
      gates: check === undefined ? [] : [check],
      tasks: 1,
      ...(agent === undefined ? {} : { agent }),
      ...(labels === undefined ? {} : { labels }),
    })),
};

function readTasks(reading: Reading): { input: TasksInput; options: WorkFile['options'] } {
  const { value } = reading.source;
  const top = isRecord(value) ? value : {};
  const list =
    checked(reading, { path: ['tasks'], value: top.tasks }, z.array(z.unknown()).min(1).max(MAX_ENTRIES)) ?? [];
  const foreign = isForeign(top, list);
  reportUnknownKeys(reading, { path: [], value, known: ['tasks', 'settings', 'pr', 'title', '$schema'], foreign });
  noteSettings(reading, top.settings);
  const pr = checked(reading, { path: ['pr'], value: top.pr ?? undefined }, TasksInput.shape.pr);
  const broken: GraphNode[] = [];
  const tasks = list.flatMap((entry, index) => {
    const path = ['tasks', index];
    reportUnknownKeys(reading, { path, value: entry, known: foreign ? keysOf(FileTask) : OUR_KEYS, foreign });
    const found = checked(reading, { path, value: entry }, FileTask);
    if (found === undefined) broken.push(...looseNode(entry, path));
    return found === undefined ? [] : [{ path, needsKey: needsKeyOf(entry), task: toTask(found) }];
  });
  checkGraph(
    reading,
    [
      ...tasks.map(({ path, needsKey, task }) => ({
        id: task.id,
        needs: task.needs,
        at: path,
        needsAt: [...path, needsKey],
      })),
      ...broken,
    ],
    list,
  );
  reportSharedBranches(reading, tasks);
  const title = checked(reading, { path: ['title'], value: top.title ?? undefined }, WorkTask.shape.title.optional());
  return {
    input: { tasks: tasks.map(({ task }) => task), ...(pr === undefined ? {} : { pr }) },
    options: title === undefined ? {} : { title },
  };
}

const OUR_KEYS = keysOf(FileTask).filter((key) => !FOREIGN_KEYS.includes(key));

function isForeign(top: Record<string, unknown>, list: readonly unknown[]): boolean {
  return 'settings' in top || list.some((task) => isRecord(task) && FOREIGN_KEYS.some((key) => key in task));
}

function noteSettings({ source, notes }: Reading, settings: unknown): void {
  if (!isRecord(settings)) return;
  for (const key of Object.keys(settings)) {
    notes.addAt(source, ['settings', key], `settings.${key} is not used: ${SETTINGS[key] ?? 'it is not understood'}.`);
  }
}

/** The file decides about pull requests, unless the command line excludes or requests them. */
function requestOf({ input: read, options }: FileRequest<TasksInput>, start: FileStart): FileRequest<TasksInput> {
  const { config, choices } = start;
  const input = choices.pr ? read : { ...read, pr: 'none' as const };
  const pr = choices.pr && (input.pr !== 'none' || choices.through);
  const through = choices.through || input.pr === 'each' || input.pr === 'run';
  const landed = withLanding(options, config, { ...choices, pr, through });
  const each = hasPullRequestEach(landed, start) && (input.pr === undefined || input.pr === 'none');
  return { input: each ? { ...input, pr: 'each' } : input, options: landed };
}

function needsKeyOf(entry: unknown): string {
  return isRecord(entry) && entry.needs === undefined ? 'depends_on' : 'needs';
}

function toTask(found: z.infer<typeof FileTask>): WorkTask {
  const check = found.check ?? found.test_command;
  return {
    id: found.id,
    title: found.title,
    description: found.description,
    files: found.files ?? found.files_hint ?? [],
    needs: found.needs ?? found.depends_on ?? [],
    ...(found.branch === undefined ? {} : { branch: found.branch }),
    ...(check === undefined ? {} : { check }),
    ...(found.role === undefined ? {} : { role: found.role }),
    ...(found.agent === undefined ? {} : { agent: found.agent }),
    ...(found.labels === undefined ? {} : { labels: found.labels }),
  };
}

function reportSharedBranches({ source, errors }: Reading, tasks: readonly { path: Path; task: WorkTask }[]): void {
  const seen = new Map<string, Path>();
  for (const { path, task } of tasks) {
    if (task.branch === undefined) continue;
    const before = seen.get(task.branch);
    if (before === undefined) seen.set(task.branch, path);
    else {
      const { line } = source.locate([...before, 'branch']);
      errors.addAt(source, [...path, 'branch'], {
        code: 'duplicate_id',
        reason: `the branch "${task.branch}" is used already in line ${line}`,
      });
    }
  }
}
