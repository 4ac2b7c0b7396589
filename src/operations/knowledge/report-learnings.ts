import { z } from 'zod';
import { proposeLearnings } from '../../core/project/knowledge.ts';
import { KnowledgeScope, knowledgeStream, Learning } from '../../schema/coordination/knowledge.ts';
import { attemptId } from '../../schema/ids.ts';
import { crashpoint } from '../../world.ts';
import { AttemptCaller } from '../attempt-caller.ts';
import { requireActive, requireTask } from '../find-run.ts';
import { operation } from '../operation.ts';

/** Takes what an agent learned; it counts when its run is verified. */
export const reportLearnings = operation({
  name: 'report-learnings',
  where: 'engine',
  summary:
    'Report facts about this project that the next agent should know: what was surprising, what does not work, how something must be done. At most 5; they count once the run is verified',
  http: { unreachable: 'An agent calls it through the socket of its attempt.' },
  allow: ['attempt'],
  input: z.object({
    ...AttemptCaller,
    learnings: z
      .array(
        Learning.extend({
          scope: KnowledgeScope.default('project').describe(
            'everywhere: useful in all projects; a person approves it.',
          ),
        }),
      )
      .min(1)
      .max(5),
  }),
  output: z.object({ reported: z.number().int() }),
  run: async (app, { run, task, attempt, call, learnings }, { origin }) => {
    const { redact, project } = requireActive(app, run);
    const name = attemptId(run, requireTask(app.runs.state(run), task).ordinal, attempt);
    const clean = learnings.map((each) => ({ ...each, title: redact(each.title), text: redact(each.text) }));
    crashpoint('knowledge.proposing');
    await app.knowledge.ledgers.update(
      knowledgeStream('project', project.id),
      (state) => proposeLearnings(state, { attempt: name, run, call, learnings: clean }),
      origin,
    );
    crashpoint('knowledge.proposed');
    return { reported: learnings.length };
  },
});
