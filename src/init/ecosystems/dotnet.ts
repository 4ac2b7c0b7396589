import { type Ecosystem, type FoundCheck, present } from '../ecosystem.ts';
import type { ProjectFiles } from '../project-files.ts';

const SOLUTION = /\.(sln|slnx)$/i;
const PROJECT = /\.(cs|fs|vb)proj$/i;
const MAX_FOLDERS = 100;

/** Whatever has a solution or a project of .NET, at the top or up to two folders below. */
export const dotnet: Ecosystem = {
  name: '.NET',
  async detect(files) {
    const hasSolution = files.names.some((name) => SOLUTION.test(name));
    if (!hasSolution && !files.names.some((name) => PROJECT.test(name))) return undefined;
    const text = (await projectTexts(files)).join('\n');
    const checks: FoundCheck[] = [
      ...(/Microsoft\.NET\.Test\.Sdk|MSTest\.Sdk/i.test(text) ? [{ name: 'test' as const, run: 'dotnet test' }] : []),
      { name: 'build', run: 'dotnet build' },
    ];
    return {
      framework: /Microsoft\.NET\.Sdk\.(Web|BlazorWebAssembly)/.test(text) ? 'ASP.NET Core' : '.NET',
      packageManager: 'dotnet',
      checks,
      setup: ['dotnet restore'],
      dependencyDirs: [],
      keyFiles: present(files, ['src', 'test', 'tests']),
      notes: [],
    };
  },
};

async function projectTexts(files: ProjectFiles): Promise<string[]> {
  const texts: string[] = [];
  let left = [files];
  let seen = 0;
  for (let depth = 0; depth <= 2 && seen < MAX_FOLDERS; depth += 1) {
    const below: ProjectFiles[] = [];
    for (const folder of left) {
      for (const name of folder.names.filter((each) => PROJECT.test(each))) texts.push((await folder.read(name)) ?? '');
      for (const name of folder.names.filter((each) => !/^[.]|^(bin|obj|node_modules)$/.test(each))) {
        seen += 1;
        const inner = seen > MAX_FOLDERS ? undefined : await folder.enter(name);
        if (inner !== undefined) below.push(inner);
      }
    }
    left = below;
  }
  return texts;
}
