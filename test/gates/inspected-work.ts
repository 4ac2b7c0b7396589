import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { GateInput, GateResult } from '../../src/gates/gate.ts';
import { checkGate } from '../../src/gates/registry.ts';
import { saveWorkspace } from '../../src/git/save/save.ts';
import { GateSpec } from '../../src/schema/gate.ts';
import { CheckedProject, type Edit, shell } from './project.ts';

/** A project whose agents' work is saved and then inspected, as at the end of an attempt. */
export class InspectedWork implements AsyncDisposable {
  readonly project: CheckedProject;
  #count = 0;

  private constructor(project: CheckedProject) {
    this.project = project;
  }

  static async make(files: Record<string, string>): Promise<InspectedWork> {
    return new InspectedWork(await CheckedProject.make({ files }));
  }

  /** What a gate says about an edit, and about what the attempt printed. */
  async inspect(
    spec: { gate: GateSpec['gate'] } & Record<string, unknown>,
    edit: Edit | string,
    output: { stdout?: string; stderr?: string } = {},
  ): Promise<GateResult> {
    return checkGate(GateSpec.parse(spec), await this.input(edit, output));
  }

  async input(edit: Edit | string, output: { stdout?: string; stderr?: string } = {}): Promise<GateInput> {
    this.#count += 1;
    const { mirror, base, env, signal } = this.project;
    const ref = `refs/manyhands/attempts/inspected-${this.#count}/1`;
    const { path, excluded } = await this.project.workspace();
    await (typeof edit === 'string' ? asAgent(path, edit) : edit(path));
    const saved = await saveWorkspace({ mirror, path, ref, base, message: 'work', exclude: excluded });
    const folder = join(this.project.folder, 'attempts', String(this.#count));
    await mkdir(folder, { recursive: true });
    const [stdout, stderr] = [join(folder, 'stdout'), join(folder, 'stderr')];
    if (output.stdout !== undefined) await writeFile(stdout, output.stdout);
    if (output.stderr !== undefined) await writeFile(stderr, output.stderr);
    return {
      changed: [],
      output: undefined,
      outputSchema: undefined,
      folder: join(folder, 'gate'),
      env,
      checkout: () => Promise.reject(new Error('not needed')),
      work: { mirror, base, commit: saved.commit, kept: `${ref}-kept`, stdout, stderr },
      signal,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.project[Symbol.asyncDispose]();
  }
}

/** Shell text in a workspace; `commit` stands for a commit of everything, with what follows as its options. */
async function asAgent(path: string, text: string): Promise<void> {
  const commit = 'commit() { git add -A && git -c user.name=a -c user.email=a@x commit -q "$@"; }';
  await shell(path, `set -e\n${commit}\n${text}`);
}
