import { Document, isCollection, isNode, isPair, isScalar, visit } from 'yaml';
import type { ListedTask } from './task-list.ts';

/** What a file of tasks contains besides the tasks. */
export type TasksAbout = {
  title: string;
  /** Where the tasks come from, a line. */
  from: string;
  /** The planner's summary of all tasks. */
  summary?: string | undefined;
};

const GUIDE = [
  'Read it, change what you like, then:',
  '  manyhands check <this file>',
  '  manyhands run <this file>              (all of it)',
  '  manyhands run <this file> --only a,b   (these, and what they need)',
  '',
  'Each task has id, title and description. It may have',
  '  files  where the change will probably be',
  '  needs  ids of tasks that must be done first; the others run in parallel',
  '  check  a command that must exit 0 before its work lands',
  '  agent  who does it; branch: where its work is shown if it does not land',
  'At the top: pr: each (a pull request for each task), run (one for all) or none',
];
const LONGEST_TITLE = 200;
const SHORT_TEXT = 60;

/** A file of tasks for people to read and change; `run` and `check` can read it. */
export function tasksText(tasks: readonly ListedTask[], about: TasksAbout): string {
  const content = {
    title: about.title.replaceAll(/\s+/g, ' ').trim().slice(0, LONGEST_TITLE),
    tasks: tasks.map(({ id, title, description, files, needs, check }) => ({
      id,
      title,
      description,
      ...(files.length === 0 ? {} : { files }),
      ...(needs.length === 0 ? {} : { needs }),
      ...(check === undefined ? {} : { check }),
    })),
  };
  return yamlText(content, [...aboutLines(about), '', ...GUIDE], 'tasks');
}

/** The origin of a file and its planner's summary, as comment lines. */
export function aboutLines({ from, summary }: TasksAbout): string[] {
  const lines = (summary ?? '').split('\n').map((line) => line.trim());
  return [from, ...lines.filter((line) => line !== '')];
}

/** YAML with a comment on top and an empty line between the entries of one list or map. */
export function yamlText(content: object, comment: readonly string[], spaced: string): string {
  const document = new Document(content);
  document.commentBefore = comment.map((line) => (line === '' ? '' : ` ${cleanLine(line)}`)).join('\n');
  const entries = document.get(spaced);
  for (const [index, entry] of (isCollection(entries) ? entries.items : []).entries()) {
    const node = isPair(entry) ? entry.key : entry;
    if (isNode(node) && index > 0) node.spaceBefore = true;
  }
  visit(document, {
    Seq: (_, list) => {
      list.flow = list.items.every((item) => isScalar(item) && isShort(item.value));
    },
  });
  return document.toString({ lineWidth: 100, flowCollectionPadding: false });
}

function isShort(value: unknown): boolean {
  return typeof value === 'string' && value.length <= SHORT_TEXT;
}

/** A comment must not end before its line does. */
function cleanLine(line: string): string {
  return line.replaceAll(/[\p{Cc}\u2028\u2029\ufeff]/gu, ' ');
}
