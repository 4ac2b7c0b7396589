import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { commandGate } from '../../src/gates/command.ts';
import type { GateResult } from '../../src/gates/gate.ts';
import { type Mirror, openMirror } from '../../src/git/mirror/mirror.ts';
import { changedFiles } from '../../src/git/read/diff.ts';
import { filesOfCommit } from '../../src/git/read/list-files.ts';
import { inspectRepository } from '../../src/git/read/repository.ts';
import { saveWorkspace } from '../../src/git/save/save.ts';
import { createWorkspace } from '../../src/git/workspace/workspace.ts';
import { type Guarded, guard } from '../../src/guards/guards.ts';
import { specialFiles } from '../../src/guards/special-files.ts';
import { removeTree } from '../../src/process/remove-later.ts';
import { run } from '../../src/process/run.ts';
import { Config } from '../../src/schema/config.ts';
import { gateCheckout, seedForCommit } from '../../src/workspaces/checkout.ts';
import { childEnvironment } from '../../src/workspaces/environment.ts';
import type { KeptDependencies } from '../../src/workspaces/kept-dependencies.ts';
import { provision } from '../../src/workspaces/provision.ts';
import { writeFiles } from './gate-input.ts';

export type Edit = (workspace: string) => Promise<void>;

/** What became of a change: `accepted` as a landing would decide it. */
export interface Outcome {
  accepted: boolean;
  guarded: Guarded;
  check: GateResult;
  withBaseTests?: GateResult;
}

/** A user's repository with a mirror, in which an agent's edits are saved, guarded and checked as they would be in a run. */
export class CheckedProject implements AsyncDisposable {
  readonly folder: string;
  readonly root: string;
  readonly home: string;
  readonly config: Config['workspace'];
  readonly mirror: Mirror;
  readonly base: string;
  readonly signal = new AbortController().signal;
  readonly env = childEnvironment(process.env);
  #count = 0;

  private constructor(facts: Pick<CheckedProject, 'folder' | 'config' | 'mirror' | 'base'>) {
    this.folder = facts.folder;
    this.root = join(facts.folder, 'user');
    this.home = join(facts.folder, 'home');
    this.config = facts.config;
    this.mirror = facts.mirror;
    this.base = facts.base;
  }

  static async make(options: {
    files: Record<string, string>;
    untracked?: Record<string, string>;
    workspace?: object;
  }): Promise<CheckedProject> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'project-')));
    const root = join(folder, 'user');
    await writeFiles(root, options.files);
    await shell(root, 'git init -q -b main && git add -A && git -c user.name=u -c user.email=u@x commit -qm base');
    await writeFiles(root, options.untracked ?? {});
    return CheckedProject.open(folder, Config.parse({ workspace: options.workspace ?? {} }).workspace);
  }

  /** The project as it stands after the user has gone on committing. */
  static async open(folder: string, config: Config['workspace']): Promise<CheckedProject> {
    const repository = await inspectRepository(join(folder, 'user'));
    const mirror = await openMirror({ dir: join(folder, 'home', 'mirror.git'), repository });
    return new CheckedProject({ folder, config, mirror, base: repository.head });
  }

  /** Options for the seed and the checkouts of a commit. */
  at(commit: string) {
    const { mirror, home, config, root, env, signal } = this;
    return { mirror, home, project: 'project', commit, config, root, env, signal };
  }

  /** A provisioned workspace at the base, with dependencies of earlier ones where they are given. */
  async workspace(kept?: KeptDependencies): Promise<{ path: string; excluded: string[] }> {
    this.#count += 1;
    const path = join(this.home, 'workspaces', String(this.#count));
    await createWorkspace({ mirror: this.mirror, path, commit: this.base, branch: `task-${this.#count}` });
    const seed = await seedForCommit(this.at(this.base));
    return { path, ...(await provision({ ...this.at(this.base), kept, workspace: path, seed })) };
  }

  /** The commit that an agent's edit comes to. */
  async candidate(edit: Edit): Promise<string> {
    const { path, excluded } = await this.workspace();
    await edit(path);
    const ref = `refs/manyhands/attempts/${this.#count}/1`;
    const saved = await saveWorkspace({
      mirror: this.mirror,
      path,
      ref,
      base: this.base,
      message: 'work',
      exclude: excluded,
    });
    return saved.commit;
  }

  async check(command: string | string[], commit: string, overlay: readonly string[] = []): Promise<GateResult> {
    this.#count += 1;
    const options = {
      ...this.at(commit),
      ...(overlay.length > 0 ? { overlay: { commit: this.base, paths: overlay } } : {}),
    };
    return commandGate.check(
      { gate: 'command', name: 'check', run: command, timeoutMs: 60_000 },
      {
        changed: [],
        output: undefined,
        outputSchema: undefined,
        folder: join(this.folder, 'output', String(this.#count)),
        env: this.env,
        checkout: () => gateCheckout(options),
        signal: this.signal,
      },
    );
  }

  /** Decides on an edit as a landing does. */
  async judge(edit: Edit, command = 'npm test'): Promise<Outcome> {
    const commit = await this.candidate(edit);
    const guarded = await this.guard(commit, command);
    const check = await this.check(command, commit);
    const isClean = guarded.held.length === 0 && check.verdict === 'pass';
    if (guarded.overlay.length === 0) return { accepted: isClean, guarded, check };
    const withBaseTests = await this.check(command, commit, guarded.overlay);
    return { accepted: isClean && withBaseTests.verdict === 'pass', guarded, check, withBaseTests };
  }

  async guard(commit: string, command: string): Promise<Guarded> {
    const changed = await changedFiles(this.mirror, { from: this.base, to: commit });
    return guard({
      changed: changed.map(({ path, status }) => ({ path, status: status === 'renamed' ? 'modified' : status })),
      ...{ tests: [], config: [], allow: [], registries: [] },
      gates: [{ gate: 'command', name: 'check', run: command, timeoutMs: 60_000 }],
      special: await specialFiles(this.mirror, this.base, commit),
      base: await filesOfCommit(this.mirror, this.base),
      candidate: await filesOfCommit(this.mirror, commit),
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await removeTree(this.folder);
  }
}

/** Runs shell text as a person or an agent would, and insists that it works. */
export async function shell(cwd: string, text: string): Promise<string> {
  const env = { ...childEnvironment(process.env), GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' };
  const result = await run(['sh', '-c', text], { cwd, env, timeoutMs: 60_000 });
  if (result.code !== 0) throw new Error(`${text}: ${result.code} ${result.stderr} ${result.stdout.toString()}`);
  return result.stdout.toString();
}
