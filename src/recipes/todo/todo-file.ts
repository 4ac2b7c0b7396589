import { basename } from 'node:path';
import type { TodoRequest } from '../../schema/request.ts';
import { TodoInput, type WorkFile } from '../../schema/work-file.ts';
import type { InputErrors } from '../../work-files/input-errors.ts';
import { hasPullRequestEach, stopsAfterPlan, withLanding } from '../file-request.ts';
import type { RecipeWorkFile } from '../recipe-work-file.ts';

const ENTRY = /^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[([ xX])\]\s+)?(\S.*)$/;
const CHECK_BOX = /^\s*(?:[-*+]|\d{1,9}[.)])\s+\[[ xX]\]\s/;
const LIST_NAME = /to-?do|task|backlog|roadmap|plan|checklist|goal/i;
const DOCUMENT_NAME = /^(?:readme|changelog|changes|history|license|contributing|security|code_of_conduct)\b/i;
const WORK_VERB =
  /^(?:add|allow|build|change|check|clean|convert|create|delete|deprecate|document|drop|enable|disable|ensure|extend|extract|finish|fix|handle|implement|improve|include|integrate|introduce|investigate|let|make|merge|migrate|move|optimi[sz]e|port|prevent|provide|publish|reduce|refactor|release|remove|rename|replace|resolve|return|review|rewrite|send|set|show|simplify|split|stop|store|support|test|translate|turn|update|upgrade|use|validate|verify|write)\b/i;
const FENCE = /^\s*(```|~~~)/;
const MAX_ENTRIES = 1_000;

/** A to-do list in Markdown. */
export const todoWorkFile: RecipeWorkFile<TodoRequest> = {
  formats: [
    {
      format: 'todo',
      readText: (text, { file }, errors) => ({
        ...readTodo(text, file ?? null, errors),
        as: 'tasks',
        execute: false,
      }),
      doubt: doubtAboutTodo,
    },
  ],
  noun: ['entry', 'entries'],
  request: ({ input, options }, start) => {
    const { config, choices } = start;
    const landed = withLanding(options, config, choices);
    const pr = hasPullRequestEach(landed, start) ? { pr: 'each' as const } : {};
    return { input: { ...input, execute: !stopsAfterPlan(config, choices), ...pr }, options: landed };
  },
  includesNeeds: false,
  ids: () => [],
  plan: ({ entries }) => {
    const open = entries.filter(({ done }) => !done).length;
    const title =
      open === 0 ? 'Make tasks of the text' : `Make tasks of ${open} open ${open === 1 ? 'entry' : 'entries'}`;
    return [{ id: 'plan', title, role: 'tasks', needs: [], gates: [], tasks: 1 }];
  },
  entries: ({ entries }) => entries.map(({ text, done }) => `${done ? '[x]' : '[ ]'} ${text}`),
};

/** The to-do list of a work file; undefined for any other work. */
export function todoOf(work: WorkFile): TodoInput | undefined {
  return work.recipe === 'todo' ? work.input : undefined;
}

/**
 * Why a text is probably not a to-do list, if it is not: most of its bullets are not tasks. A task has a check box or begins
 * with a verb of work; a file that is named as a list of tasks is one.
 */
export function doubtAboutTodo({ text, entries }: TodoInput, file: string): string | undefined {
  const name = basename(file);
  if (LIST_NAME.test(name)) return undefined;
  const isDocument = DOCUMENT_NAME.test(name);
  if (entries.length === 0) return isDocument ? 'it has no list of tasks' : undefined;
  const lines = text.split('\n');
  const outer = entries.filter(({ line }) => /^\S/.test(lines[line - 1] ?? ''));
  const judged = outer.length === 0 ? entries : outer;
  const isTask = ({ line, text: entry }: TodoInput['entries'][number]) =>
    CHECK_BOX.test(lines[line - 1] ?? '') || (!isDocument && (WORK_VERB.test(entry) || /^[^\p{ASCII}]/u.test(entry)));
  const tasks = judged.filter(isTask).length;
  return tasks * 2 >= judged.length ? undefined : `only ${tasks} of its ${judged.length} bullets look like tasks`;
}

/** Reads a to-do list in Markdown: its text whole, and the entries of its lists outside of code. */
function readTodo(text: string, file: string | null, errors: InputErrors): TodoInput {
  const entries = entriesOf(text);
  if (entries.length > MAX_ENTRIES) {
    const line = entries[MAX_ENTRIES]?.line ?? 1;
    errors.add({ code: 'too_large', line, reason: `a to-do list has at most ${MAX_ENTRIES} entries` });
  }
  const body = TodoInput.shape.text.safeParse(text);
  if (!body.success) {
    const reason = body.error.issues[0]?.message ?? 'not a text';
    errors.add({ code: 'too_large', reason: `a to-do list ${reason}` });
  }
  return { file, text: body.success ? body.data : '', entries };
}

function entriesOf(text: string): TodoInput['entries'] {
  const entries: TodoInput['entries'] = [];
  let fence: string | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const mark = FENCE.exec(line)?.[1];
    if (mark !== undefined && (fence === undefined || fence === mark)) {
      fence = fence === undefined ? mark : undefined;
      continue;
    }
    const entry = fence === undefined ? ENTRY.exec(line) : null;
    if (entry === null) continue;
    entries.push({ line: index + 1, text: (entry[3] ?? '').trim(), done: entry[2]?.toLowerCase() === 'x' });
  }
  return entries;
}
