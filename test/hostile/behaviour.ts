import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeScratch } from '../support/scratch.ts';
import { runAndReport } from './hostile-run.ts';

/** A project whose check is red because of a defect, and the command that shows whether its tools are installed. */
export type Project = { check: string; files: Record<string, string>; needs?: string };

/** What an agent does in a project, and the check that judges it where it is not the project's usual one. */
export type Behaviour = [name: string, project: Project, script: string, check?: string];

/** Runs a job with an agent that behaves so, and returns how it ended and why. */
export async function outcomeOf([name, project, script, check = project.check]: Behaviour): Promise<string> {
  const settings = `checks:\n  - ${JSON.stringify(check)}\nlimits: { attempts: 1, retryDelaySeconds: 0 }\n`;
  await using scratch = await makeScratch({ files: { ...project.files, '.manyhands/config.yaml': settings } });
  const agent = join(scratch.root, 'agent.sh');
  writeFileSync(agent, `#!/bin/sh\ncat >/dev/null\nset -e\n${script}\n`, { mode: 0o755 });
  const title = `Make the check green (${name.split(':')[0]})`;
  const { run: document } = await runAndReport(scratch, 'job', title, '--agent', `command:${agent}`);
  return `${document.status} ${document.reason} ${document.attention.map(({ reason }) => reason).join()}`;
}

const installed = new Map<string, boolean>();

/** The behaviours that this machine can run: those that are named, and the others. */
export function sampled(all: readonly Behaviour[], ...names: string[]): [Behaviour[], Behaviour[]] {
  const able = all.filter(([, { needs }]) => needs === undefined || isStarted(needs));
  const isSampled = ([name]: Behaviour) => names.includes(name);
  return [able.filter(isSampled), able.filter((each) => !isSampled(each))];
}

function isStarted(command: string): boolean {
  const known = installed.get(command) ?? spawnSync('sh', ['-c', command], { stdio: 'ignore' }).status === 0;
  installed.set(command, known);
  return known;
}
