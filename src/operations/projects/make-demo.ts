import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { AppError } from '../../errors.ts';
import { git } from '../../git/git.ts';
import { operation } from '../operation.ts';

/** Makes a sample repository in the data directory, and the request of a rehearsal in it, which costs nothing. */
export const makeDemo = operation({
  name: 'make-demo',
  where: 'anywhere',
  summary: 'Make a sample repository to rehearse in',
  http: 'POST /api/demo',
  allow: ['operator'],
  input: z.object({}),
  output: z.object({
    dir: z.string().describe('The sample repository.'),
    goal: z.string(),
    options: z.object({
      dir: z.string(),
      title: z.string(),
      rehearse: z.literal(true),
      scenario: z.string(),
      checks: z.array(z.string()),
    }),
  }),
  run: async ({ home }) => {
    const demo = demoFolder();
    await mkdir(home.demos, { recursive: true, mode: 0o700 });
    const dir = join(await mkdtemp(join(home.demos, 'demo-')), 'shop');
    await cp(join(demo, 'shop'), dir, { recursive: true });
    await git(['init', '--quiet', '--initial-branch=main', '--template=', dir]);
    await git(['add', '--all'], { cwd: dir });
    await git(['-c', 'commit.gpgsign=false', 'commit', '--quiet', '--no-verify', '--message=Open the corner shop'], {
      cwd: dir,
    });
    const goal = (await readFile(join(demo, 'goal.txt'), 'utf8')).trim();
    const scenario = join(demo, 'scenario.yaml');
    const options = { dir, title: 'A better corner shop', rehearse: true as const, scenario, checks: ['npm test'] };
    return { dir, goal, options };
  },
});

/** The files of the demo, from the built program and from the sources. */
function demoFolder(): string {
  const candidates = ['../examples/demo', '../../../examples/demo'];
  const found = candidates
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (found === undefined) throw new AppError('INTERNAL', 'The files of the demo are missing in this installation');
  return found;
}
