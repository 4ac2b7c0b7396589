import { z } from 'zod';
import { AccountEvent, ProjectEvent, RunEvent } from '../../src/schema/event.ts';
import { code, type Page, referencePage, table } from './markdown.ts';
import { fieldsOf } from './schema-text.ts';

type EventType = (RunEvent | ProjectEvent | AccountEvent)['type'];
type EventSchema = typeof RunEvent | typeof ProjectEvent | typeof AccountEvent;

const MEANINGS: Record<EventType, string> = {
  'run.started': 'The run is on record, with everything it will ever depend on.',
  'run.base-checked': 'Each check ran once on the base, before any work.',
  'run.held': 'The run waits for a person.',
  'run.approved': 'A person said yes; the run goes on.',
  'run.limited': 'A person changed how many attempts may be under way at once.',
  'run.cancelling': 'Somebody cancelled the run; what is under way is being ended and saved.',
  'run.landed': 'The result is on the branch that the run started from.',
  'run.rewound': 'The run ends on an earlier commit, because the review rounds after it made things worse.',
  'run.branch-pushed': 'The branch `mh/<run>` in the repository of the user stands at this commit.',
  'run.reopened': 'Tasks of a run are tried again at the wish of a person.',
  'run.ended': 'Nothing more happens to the run.',
  'tasks.added': 'The recipe asks for tasks. What is recorded of a task is final.',
  'attempt.started': 'An agent was chosen for a task, and money was set aside.',
  'attempt.spawned': 'The process of the attempt is there, and does not run before this is on record.',
  'attempt.warned': 'A sign that an attempt may be in trouble; told once for each sign.',
  'attempt.used': 'What an attempt has consumed so far.',
  'attempt.ended': 'The attempt is over and its work is saved.',
  'task.retrying': 'The task will be tried again, with the evidence of what went wrong.',
  'task.landing': 'The work of a task waits to land.',
  'gate.ended': 'A check has judged a candidate.',
  'task.conflicted': 'The work cannot be merged as it is; another task resolves the conflict.',
  'task.held': 'A person must look at the work before it lands.',
  'task.approved': 'A person said yes to held work.',
  'task.blocked': 'The task cannot go on before something outside is mended.',
  'tasks.landed': 'The run branch moved to a commit on which every check passed.',
  'task.ended': 'Nothing more happens to the task.',
  'project.opened': 'The project is known.',
  'project.spent': 'A run ended and cost this much.',
  'project.proved': 'A check judged a tree; a later run need not check it again.',
  'account.rested': 'An account is not asked before this time.',
};

/** Every event with its fields. */
export function eventsPage(): Page {
  return referencePage('events', 'Events', [
    'What happened is a list of events, in streams: one for each run (`run/<id>`), project (`project/<id>`) and account of an agent (`account/<name>`). What is true about a run is a fold of its stream. Events are only ever appended. What an agent says is not here; it is the transcript, which `mh logs` shows.',
    'A field with a question mark may be absent. Times are milliseconds since 1970.',
    '## Of a run',
    ...sections(RunEvent),
    '## Of a project',
    ...sections(ProjectEvent),
    '## Of an account',
    ...sections(AccountEvent),
  ]);
}

function sections(events: EventSchema): string[] {
  return events.options.flatMap((option) => {
    const { type, data } = option.shape;
    const rows = fieldsOf(z.toJSONSchema(data)).map((field) => [
      code(field.needed ? field.name : `${field.name}?`),
      field.type,
    ]);
    return [`### ${type.value}`, MEANINGS[type.value], table(['field', 'type'], rows)];
  });
}
