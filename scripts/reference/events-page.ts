import { z } from 'zod';
import { AccountEvent, ModelEvent, ProjectEvent, RunEvent } from '../../src/schema/event.ts';
import { WatchEvent } from '../../src/schema/watch/watch-event.ts';
import { code, type Page, referencePage, table } from './markdown.ts';
import { fieldsOf } from './schema-text.ts';

type EventType = (RunEvent | ProjectEvent | WatchEvent | AccountEvent | ModelEvent)['type'];
type EventSchema = typeof RunEvent | typeof ProjectEvent | typeof WatchEvent | typeof AccountEvent | typeof ModelEvent;

const MEANINGS: Record<EventType, string> = {
  'run.started': 'A run started. The event contains everything that the run depends on: input, settings, base commit.',
  'run.base-check-failed':
    'A check failed on the base for the first time. It is recorded at once; the check is then repeated.',
  'run.base-checked': 'Each check ran once on the base, before any work.',
  'run.held': 'The run waits for the decision of a person.',
  'run.approved': 'A person approved what held the run; it continues.',
  'run.rejected': 'A person rejected what held the run, with a reason.',
  'run.titled': 'The run got a title. Before, its title was the beginning of its text.',
  'run.call-refused':
    'A program that an attempt, a check or a set-up command started called an operation that agents must not call.',
  'run.paused': 'A track or the whole run starts no further attempts. Running attempts continue to their end.',
  'run.unpaused': 'A paused track, or everything that was paused, continues.',
  'tasks.cancelled':
    'Tasks were cancelled while the run continues: removed from a plan, or no longer needed by the recipe.',
  'tasks.edited': 'A person changed tasks of a plan that waits for approval.',
  'tasks.reordered': 'A person changed the order in which tasks start.',
  'task.prioritized': 'A person changed the priority of a queued task.',
  'task.rejected': 'A person rejected held work; it goes back to the agent with the reason.',
  'tasks.invalidated': 'Done tasks, and all tasks built on them, must run again; their evidence no longer counts.',
  'task.proposed': "A task's work passed its gates on the merged candidate, and another agent verifies it next.",
  'task.verified': 'The result of that verification: the work lands, or returns to the agent with the report.',
  'run.limited': 'A person changed how many attempts may run at once.',
  'run.settings-changed': 'A person changed limits, budget, scope or agents of the run with a retry.',
  'run.wrapping-up': 'A person ended the run with what has landed: nothing new starts, and open tasks are cancelled.',
  'run.cancelling': 'A person cancelled the run. Running attempts are ended and their work is saved.',
  'run.landed': 'The result is on the branch that the run started from.',
  'run.undone': 'A person undid the landing: this commit on the branch reverts it.',
  'run.branch-removed': 'A person deleted the branch `mh/<run>`. Its commit is kept under this ref of the mirror.',
  'run.caught-up': "A task that had waited starts from the current base: the base was merged into the run's branch.",
  'run.rewound': 'The run ends on an earlier commit, because the review rounds after it made things worse.',
  'run.branch-pushed': "The branch `mh/<run>` in the user's repository points to this commit.",
  'run.reopened': 'A person requested that tasks of the run are tried again.',
  'run.ended': 'The run ended, with its status.',
  'subrun.started': 'The agent of a task started another run, whose `run.started` is in the same transaction.',
  'subrun.changed': 'A sub-run began to wait for a person, or continues.',
  'subrun.ended':
    'A sub-run ended; its result is on its own branch, and its cost counts against the budget of this run.',
  'call.started': 'A small call of a model (for a title, a tier, a diagnosis) starts, and its money is reserved.',
  'call.ended': 'The small call ended. Without an answer, rules decide. Every model that was called is charged.',
  'tasks.added': 'The recipe added tasks. The specification of a task does not change afterwards.',
  'attempt.started': 'An agent was selected for a task, and its money was reserved.',
  'attempt.spawned': 'The process of the attempt exists. It begins to run only after this event is stored.',
  'attempt.warned': 'A sign that an attempt may have a problem; recorded once for each sign.',
  'attempt.warning-dismissed': 'A person dismissed that warning.',
  'attempt.used': 'What an attempt has consumed so far.',
  'attempt.ended': 'The attempt ended and its work is saved.',
  'task.retrying': 'The task will be tried again, with the evidence of what went wrong.',
  'task.messaged':
    'A person sent a message to the agent of a task. A running attempt is interrupted for it, and the next attempt receives it.',
  'task.asked': 'An agent asked a person a question. Without an answer in time, its task waits.',
  'task.answered':
    'A question was answered by a person, or by its default at its deadline. With `delivery`, the call of the running agent returns it.',
  'task.answer-delivered':
    'The agent has the answer, from its call or as a message for its next attempt. It is recorded after an answer with `delivery`.',
  'task.requeued': 'A person queued a task again. It begins in a clean workspace, and its limits count from zero.',
  'task.landing': 'The work of a task waits to land.',
  'check.started': 'A host runs a check of a candidate, of the base or of a landing.',
  'gate.ended': 'A gate ended: a check of a candidate, or an inspection of the work of an attempt.',
  'task.conflicted': 'The work cannot be merged as it is; another task resolves the conflict.',
  'task.held': 'A person must decide about the work before it lands.',
  'task.approved': 'A person approved held work.',
  'task.blocked': 'The task cannot continue until something outside of the run is repaired.',
  'tasks.landed': 'The run branch moved to a commit on which every check passed.',
  'task.ended': 'The task ended, with its result.',
  'project.added': 'A person added a project by the URL of its repository, from which every machine clones it.',
  'project.removed': 'A person removed a project that was added by its URL. Its runs are kept.',
  'project.opened': 'A project was used for the first time.',
  'project.spent': 'A run ended and cost this much.',
  'project.proved': 'A check ended on a tree. A later run with the same tree uses this result where it passed.',
  'check.flaked': 'A check failed and then passed on the same commit; flaky checks are counted by these events.',
  'collection.added': 'A collection was created.',
  'collection.renamed': 'A collection was renamed; its runs stay in it.',
  'collection.removed': 'A collection was removed; its runs are in no collection.',
  'collection.filed': 'A run was moved into a collection, or (`null`) out of its collection.',
  'run.hidden': 'A run was hidden: lists leave it out unless hidden runs are requested.',
  'run.unhidden': 'A hidden run is listed again.',
  'run.flagged': 'A person flagged a run.',
  'run.unflagged': 'The flag was removed.',
  'run.read': 'A person read a run up to this version; 0 marks it as unread.',
  'run.archived': 'A run was moved to an archive and is no longer in the database.',
  'run.restored': 'An archived run is in the database again.',
  'batch.started': 'The engine started a batch: each item becomes a job, with at most this many at once.',
  'batch.item-started': 'The run of an item of a batch was started.',
  'batch.ended': 'A batch ended: no item is left, or it could not continue for this reason.',
  'watch.started': 'A person watches the project, or changed how it is watched.',
  'watch.stopped': 'The project is no longer watched, for this reason.',
  'watch.round-started': 'A round began, with its run; both are stored in one transaction.',
  'watch.round-ended': 'A round ended, with its confirmed proposals, answers and draft reviews.',
  'watch.messaged': 'A person wrote a message.',
  'watch.said': 'The same, as earlier versions recorded it.',
  'watch.round-failed': 'No round could begin; the series tries again later.',
  'watch.proposal-decided': 'A proposal was accepted, with its run, or rejected, or is done, or expired.',
  'watch.review-settled': 'A person posted or discarded a draft review.',
  'account.rested': 'An account, or one family of its models, is rate-limited until this time.',
  'model.judged': 'A run ended, with the results of checks for each agent in it.',
  'model.benched': 'A benchmark of a model ended.',
};

/** Every event with its fields. */
export function eventsPage(): Page {
  return referencePage('events', 'Events', [
    'Everything that Manyhands records is an event in a stream: one stream for each run (`run/<id>`), project (`project/<id>`, and `watch/<id>` for the rounds that watch it) and account of an agent (`account/<name>`). The state of a run is computed from the events of its stream. Events are only appended, never changed. The output of agents is not in the events but in the transcript (`mh logs`).',
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
    'All of them are in one stream, `models`.',
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
