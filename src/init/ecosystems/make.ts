import { type Ecosystem, type FoundCheck, present } from '../ecosystem.ts';

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
const TARGETS = ['test', 'lint', 'typecheck', 'build'] as const;

/** A Makefile: used only where nothing else shows how the project is tested. */
export const make: Ecosystem = {
  name: 'Make',
  async detect(files) {
    const [makefile] = present(files, MAKEFILES);
    if (makefile === undefined) return undefined;
    const text = (await files.read(makefile)) ?? '';
    const has = (target: string) => new RegExp(`^${target}[ \\t]*:(?!=)`, 'm').test(text);
    const checks = TARGETS.filter(has).map((name): FoundCheck => ({ name, run: `make ${name}` }));
    return {
      framework: 'Make',
      packageManager: null,
      checks,
      setup: [],
      dependencyDirs: [],
      keyFiles: [makefile],
      notes: [],
    };
  },
};
