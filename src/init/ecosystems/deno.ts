import { type Ecosystem, present } from '../ecosystem.ts';

const MANIFESTS = ['deno.json', 'deno.jsonc'];

/** Whatever has a deno.json and is no project of Node as well. */
export const deno: Ecosystem = {
  name: 'Deno',
  async detect(files) {
    if (present(files, MANIFESTS).length === 0 || files.has('package.json')) return undefined;
    return {
      framework: 'Deno',
      packageManager: 'deno',
      checks: [
        { name: 'test', run: 'deno test --allow-all' },
        { name: 'lint', run: 'deno lint' },
        { name: 'typecheck', run: 'deno check .' },
      ],
      setup: ['deno install'],
      dependencyDirs: ['node_modules'],
      keyFiles: present(files, [...MANIFESTS, 'main.ts', 'src']),
      notes: [],
    };
  },
};
