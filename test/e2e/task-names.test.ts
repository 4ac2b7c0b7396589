import { expect, it } from 'vitest';
import { makeScratch } from '../support/scratch.ts';

const TASKS = `tasks:
  - id: Login
    title: Login page
    description: Write login.txt
  - id: sign-up
    title: Sign up
    description: FAIL once
    needs: [Login]
  - id: welcome
    title: Welcome page
    description: Write welcome.txt
    needs: [sign-up]
`;

/** Fails until a file in HOME exists. */
const AGENT = `#!/bin/sh
case "$(cat)" in
  *FAIL*) [ -e "$HOME/fixed" ] || { echo cannot sign up; exit 1; }; echo done > signup.txt ;;
  *login*) echo done > login.txt; echo 'Adds the login page. Closes #9 [skip ci]' ;;
  *) echo done > welcome.txt ;;
esac
`;

it('shows tasks under the ids of the work file, and takes them in every command', async () => {
  const settings = 'limits: { attempts: 1, retryDelaySeconds: 0 }\n';
  const files = { 'tasks.yaml': TASKS, 'agent.sh': AGENT, '.manyhands/config.yaml': settings };
  await using project = await makeScratch({ files });
  const ended = await project.mh(['run', 'tasks.yaml', '--agent', 'command:./agent.sh']);
  const run = project.git('for-each-ref', '--format=%(refname:short)', 'refs/heads/mh/').slice(3);
  expect(ended.code).toBe(1);
  const message = project.git('log', '-1', '--format=%B', `mh/${run}`);
  expect(message).toMatch(/^Login page\n\nAdds the login page\. Closes 9\n\nTask Login of run /);
  expect(message).toContain('\nNo check is required to land.\n\nManyhands-Run: ');
  const shown = await project.mh(['show', run]);
  const logs = await project.mh(['logs', run, '--task', 'sign-up']);
  const report = await project.mh(['report', run]);
  for (const text of [ended.stderr, shown.stdout, logs.stdout, report.stdout]) {
    expect(text).toContain('sign-up');
    expect(text).not.toMatch(/task\/\d/);
  }
  expect(shown.stdout).toContain('it needs sign-up, which was not done');
  expect(shown.stdout).toContain(`manyhands retry ${run} sign-up`);
  expect(logs.stdout).toContain('cannot sign up');
  expect((await project.mh(['diff', `${run}/Login`])).stdout).toContain('login.txt');
  await project.mh(['retry', run, 'sign-up', '--agent', `command:touch ${project.root}/fixed`]);
  const retried = await project.mh(['retry', `${run}/sign-up`, '--agent', 'command:./agent.sh', '--json']);
  expect(retried.json).toMatchObject({ tasks: [{ status: 'done' }, { status: 'done' }, { status: 'done' }] });
});
