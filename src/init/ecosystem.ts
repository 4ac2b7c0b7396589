import type { ProjectFiles } from './project-files.ts';

/** What a check is for; the name it gets in the settings. */
export type CheckName = 'test' | 'lint' | 'typecheck' | 'build';

/** A command that exists in the project. */
export type FoundCheck = { name: CheckName; run: string };

/** What one kind of project needs. Every command in it is ours, or a plain line of a workflow that calls a known tool. */
export type Found = {
  framework: string;
  packageManager: string | null;
  checks: FoundCheck[];
  setup: string[];
  /** Ignored folders that hold installed dependencies. */
  dependencyDirs: string[];
  keyFiles: string[];
  /** What a person should know about the finding. */
  notes: string[];
};

/** One kind of project; undefined where the folder is none of it. */
export interface Ecosystem {
  readonly name: string;
  detect(files: ProjectFiles): Promise<Found | undefined>;
}

/** The first row whose package is among the dependencies. */
export function frameworkOf(
  rows: readonly (readonly [name: string, ...packages: string[]])[],
  isUsed: (name: string) => boolean,
): string | undefined {
  return rows.find(([, ...packages]) => packages.some(isUsed))?.[0];
}

/** Those of the names that exist in the folder. */
export function present(files: ProjectFiles, names: readonly string[]): string[] {
  return names.filter((name) => files.has(name));
}
