import { z } from 'zod';
import { AccountEvent, ModelEvent, ProjectEvent, RunEvent } from '../../src/schema/event.ts';
import { WatchEvent } from '../../src/schema/watch/watch-event.ts';
import { code, type Page, referencePage, table } from './markdown.ts';
import { fieldsOf } from './schema-text.ts';

type EventType = (RunEvent | ProjectEvent | WatchEvent | AccountEvent | ModelEvent)['type'];
type EventSchema = typeof RunEvent | typeof ProjectEvent | typeof WatchEvent | typeof AccountEvent | typeof ModelEvent;

const MEANINGS: Record<EventType, string> = {
  'run.started': 'The run is on record, with everything it will ever depend on.',
  'run.base-check-failed':
    'A check failed on the base for the first time. It is recorded at once; the check is then repeated.',
  'run.base-checked': 'Each check ran once on the base, before any work.',
  'run.held': 'The run waits for a person.',
  'run.approved': 'A person approved what held the run; it continues.',
  'run.rejected': 'A person rejected what held the run, with a reason.',
  'run.titled': 'A title was found for the run, which had none but the beginning of its text.',
  'run.call-refused':
    'A program that an attempt, a check or a set-up command started called an operation that agents must not call.',
  'run.paused': 'A track, or the whole run, starts nothing more; what runs goes on to its end.',
  'run.unpaused': 'A paused track, or all that was paused, goes on.',
  'tasks.cancelled':
    'Tasks were withdrawn while the run continues: removed from a plan, or no longer wanted by the recipe.',
  'tasks.edited': 'A person changed tasks of a plan that waits for approval.',
  'tasks.reordered': 'A person arranged the order in which tasks start.',
  'task.prioritized': 'A person changed the priority of a queued task.',
  'task.rejected': 'A person rejected held work; it goes back to the agent with the reason.',
  'tasks.invalidated': 'Done tasks, and all that was built upon them, must be done again; their evidence is stale.',
  'task.proposed': "A task's work passed its gates on the merged candidate, and another agent is asked to verify it.",
  'task.verified': 'What that verification found: the work goes on to the branch, or back with the report.',
  'run.limited': 'A person changed how many attempts may be under way at once.',
  'run.settings-changed': 'A person changed limits, budget, scope or agents of the run with a retry.',
  'run.wrapping-up': 'Somebody ended the run with what has landed; nothing new starts, open tasks are withdrawn.',
  'run.cancelling': 'Somebody cancelled the run; what is under way is being ended and saved.',
  'run.landed': 'The result is on the branch that the run started from.',
  'run.undone': 'A person took the landing back: this commit on the branch reverts it.',
  'run.branch-removed': 'A person had the branch `mh/<run>` deleted; its commit stays under this ref of the mirror.',
  'run.caught-up': 'A task that waited begins with the base as it stands then: the run branch was merged with it.',
  'run.rewound': 'The run ends on an earlier commit, because the review rounds after it made things worse.',
  'run.branch-pushed': 'The branch `mh/<run>` in the repository of the user stands at this commit.',
  'run.reopened': 'Tasks of a run are tried again at the wish of a person.',
  'run.ended': 'Nothing more happens to the run.',
  'call.started': 'A small question (a title, a tier, a diagnosis) is about to be asked, and money was set aside.',
  'call.ended':
    'The question was answered by one of those asked, or by none, so that rules answer it; each is charged.',
  'tasks.added': 'The recipe asks for tasks. What is recorded of a task is final.',
  'attempt.started': 'An agent was chosen for a task, and money was set aside.',
  'attempt.spawned': 'The process of the attempt is there, and does not run before this is on record.',
  'attempt.warned': 'A sign that an attempt may be in trouble; told once for each sign.',
  'attempt.warning-dismissed': 'A person wants to see that warning no longer.',
  'attempt.used': 'What an attempt has consumed so far.',
  'attempt.ended': 'The attempt is over and its work is saved.',
  'task.retrying': 'The task will be tried again, with the evidence of what went wrong.',
  'task.messaged':
    'A person told the agent of a task something; its next attempt is told it, and the one that runs is broken off for it.',
  'task.asked': 'An agent asked a person something; without an answer in time its task waits.',
  'task.answered':
    'A question was answered by a person, or by its default at its deadline; an agent that no longer waits gets it as a message.',
  'task.requeued': 'A person put a task back in line, to begin from a clean workspace with fresh caps.',
  'task.landing': 'The work of a task waits to land.',
  'gate.ended': 'A check has judged a candidate, or an inspection the work of an attempt.',
  'task.conflicted': 'The work cannot be merged as it is; another task resolves the conflict.',
  'task.held': 'A person must look at the work before it lands.',
  'task.approved': 'A person approved held work.',
  'task.blocked': 'The task cannot go on before something outside is mended.',
  'tasks.landed': 'The run branch moved to a commit on which every check passed.',
  'task.ended': 'Nothing more happens to the task.',
  'project.opened': 'The project is known.',
  'project.spent': 'A run ended and cost this much.',
  'project.proved': 'A check judged a tree; a later run need not check it again.',
  'check.flaked': 'A check failed and then passed on the same commit; flaky checks are counted by these events.',
  'collection.added': 'A collection was made.',
  'collection.renamed': 'A collection has another name, with all that is in it.',
  'collection.removed': 'A collection is gone; the runs that were in it are in none.',
  'collection.filed': 'A run was put into a collection, out of the one it was in, or (`null`) into none.',
  'run.hidden': 'A run is left out of lists unless hidden ones are asked for.',
  'run.unhidden': 'A hidden run is listed again.',
  'run.flagged': 'A person marked a run to come back to.',
  'run.unflagged': 'The mark is gone.',
  'run.read': 'Somebody read a run up to this version; 0 calls it unread again.',
  'run.archived': 'A run was put into an archive and is no longer in the database.',
  'run.restored': 'An archived run is in the database again.',
  'batch.started': 'The engine carries a batch: each of its items becomes a job, so many at once.',
  'batch.item-started': 'The run of an item of a batch was started.',
  'batch.ended': 'A batch has no item left to start, or could not go on, and why.',
  'watch.started': 'A person watches the project, or changed how it is watched.',
  'watch.stopped': 'The project is no longer watched, and why.',
  'watch.round-started': 'A round began, with its run; both are recorded together.',
  'watch.round-ended': 'What a round came to: confirmed proposals, answers and draft reviews.',
  'watch.said': 'A person wrote a message.',
  'watch.proposal-decided': 'A proposal was accepted, with its run, or rejected, or is done, or expired.',
  'watch.review-settled': 'A person posted or discarded a draft review.',
  'account.rested': 'An account, or one family of its models, is not asked before this time.',
  'model.judged': 'A run ended; this is what checks have decided about the work of each agent in it.',
  'model.benched': 'A benchmark of a model ended.',
};

/** Every event with its fields. */
export function eventsPage(): Page {
  return referencePage('events', 'Events', [
    'What happened is a list of events, in streams: one for each run (`run/<id>`), project (`project/<id>`, and `watch/<id>` for the rounds that watch it) and account of an agent (`account/<name>`). What is true about a run is a fold of its stream. Events are only ever appended. What an agent says is not here; it is the transcript, which `mh logs` shows.',
    'A field with a question mark may be absent. Times are milliseconds since 1970.',
    '## Of a run',
    ...sections(RunEvent),
    '## Of a project',
    ...sections(ProjectEvent),
    '## Of a watched project',
    ...sections(WatchEvent),
    '## Of an account',
    ...sections(AccountEvent),
    '## Of models',
    'All of them stand in one stream, `models`.',
    ...sections(ModelEvent),
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
