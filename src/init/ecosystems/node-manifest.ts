import { z } from 'zod';
import type { ProjectFiles } from '../project-files.ts';

const Names = z.record(z.string(), z.unknown()).catch({});

/** The parts of a package.json that show how a project is built and tested; a part of the wrong shape counts as absent. */
const NodeManifest = z.object({
  scripts: z.record(z.string(), z.unknown()).catch({}).default({}),
  dependencies: Names.default({}),
  devDependencies: Names.default({}),
  peerDependencies: Names.default({}),
  packageManager: z.string().optional().catch(undefined),
  workspaces: z
    .union([z.array(z.string()), z.object({ packages: z.array(z.string()) }).transform(({ packages }) => packages)])
    .optional()
    .catch(undefined),
});
export type NodeManifest = z.infer<typeof NodeManifest>;

/** The manifest of a folder; a note where it is there but cannot be understood. */
export async function readNodeManifest(files: ProjectFiles): Promise<NodeManifest | { note: string } | undefined> {
  if (!files.has('package.json')) return undefined;
  const text = await files.read('package.json');
  if (text === undefined) return { note: 'package.json cannot be read, so nothing was read from it' };
  const parsed = NodeManifest.safeParse(parseJson(text));
  return parsed.success ? parsed.data : { note: 'package.json is no JSON object, so nothing was read from it' };
}

/** Whether a package is among what the project depends on. */
export function usesPackage(manifest: NodeManifest, name: string): boolean {
  return [manifest.dependencies, manifest.devDependencies, manifest.peerDependencies].some((group) =>
    Object.hasOwn(group, name),
  );
}

/** The text of a script, if it is one. */
export function scriptText(manifest: NodeManifest, name: string): string | undefined {
  const script = Object.hasOwn(manifest.scripts, name) ? manifest.scripts[name] : undefined;
  return typeof script === 'string' && script.trim() !== '' ? script : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The caller reports that it is no JSON.
    return undefined;
  }
}
