import { z } from 'zod';
import { acceptProposal as decideAcceptance, openProposal } from '../../core/watch/decide-watch.ts';
import { promptText } from '../../roles/prompt.ts';
import { watchStream } from '../../schema/ids.ts';
import { JobInput, StartOptions } from '../../schema/request.ts';
import { projectOf } from '../find-run.ts';
import { operation } from '../operation.ts';
import { beginRun } from '../runs/start-run.ts';

/** Accepts a proposal: it becomes a run, whose result another agent reviews. */
export const acceptProposal = operation({
  name: 'accept-proposal',
  where: 'engine',
  summary: 'Accept a proposal of the watcher: it becomes a run',
  http: 'POST /api/watch/proposals/{proposal}/accept',
  allow: ['operator'],
  decides: true,
  reserved: () => 'accepting proposals',
  input: z.object({
    proposal: z.string(),
    note: z.string().optional().describe('What the agent should know in addition.'),
    options: StartOptions,
  }),
  output: z.object({ run: z.string(), notes: z.array(z.string()) }),
  run: async (app, { proposal: id, note = '', options }, { origin }) => {
    const project = await projectOf(app, options.dir);
    const stream = watchStream(project.id);
    const proposal = openProposal(app.watches.state(stream), id);
    const { title, description, file, line, evidence, confirmation } = proposal;
    const place = `${file}:${line}`;
    const task = promptText('recipes/watch/accepted', { title, description, place, evidence, confirmation, note });
    return beginRun(
      app,
      { recipe: 'job', input: JobInput.parse({ task, review: true }), options: { title, ...options } },
      {
        origin,
        watch: (run) => decideAcceptance(app.watches.state(stream), { proposal: id, run }),
      },
    );
  },
});
