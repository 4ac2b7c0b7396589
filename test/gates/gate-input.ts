import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { GateInput } from '../../src/gates/gate.ts';
import { childEnvironment } from '../../src/workspaces/environment.ts';

/** A folder for one test, and gate inputs whose checkouts hold the given files. */
export class GateBench implements AsyncDisposable {
  readonly folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<GateBench> {
    return new GateBench(await mkdtemp(join(tmpdir(), 'gates-')));
  }

  async input(files: Record<string, string> = {}, over: Partial<GateInput> = {}): Promise<GateInput> {
    this.#count += 1;
    const place = join(this.folder, String(this.#count));
    return {
      changed: [],
      output: undefined,
      outputSchema: undefined,
      folder: join(place, 'output'),
      env: childEnvironment(process.env),
      checkout: async () => {
        const path = join(place, 'checkout');
        await writeFiles(path, files);
        return { path, setup: 'setup-hash', [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
      },
      signal: new AbortController().signal,
      ...over,
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Writes files below a folder, which is made if it is missing. */
export async function writeFiles(folder: string, files: Record<string, string>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  }
}
