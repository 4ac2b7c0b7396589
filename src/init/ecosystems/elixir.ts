import { type Ecosystem, type FoundCheck, present } from '../ecosystem.ts';

/** Whatever has a mix.exs. */
export const elixir: Ecosystem = {
  name: 'Elixir',
  async detect(files) {
    if (!files.has('mix.exs')) return undefined;
    const text = (await files.read('mix.exs')) ?? '';
    const checks: FoundCheck[] = [];
    if (files.has('test')) checks.push({ name: 'test', run: 'mix test' });
    if (/\{\s*:credo\b/.test(text)) checks.push({ name: 'lint', run: 'mix credo' });
    else if (files.has('.formatter.exs')) checks.push({ name: 'lint', run: 'mix format --check-formatted' });
    checks.push({ name: 'build', run: 'mix compile --warnings-as-errors' });
    return {
      framework: /\{\s*:phoenix\b/.test(text) ? 'Phoenix' : 'Elixir',
      packageManager: 'mix',
      checks,
      setup: ['mix deps.get'],
      dependencyDirs: ['deps'],
      keyFiles: present(files, ['mix.exs', 'lib', 'config', 'test']),
      notes: [],
    };
  },
};
