import { type Ecosystem, type FoundCheck, present } from '../ecosystem.ts';

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile'];
/** Targets by the names that people give them, the best first. */
const TARGETS = {
  test: ['test', 'tests', 'check'],
  lint: ['lint'],
  typecheck: ['typecheck', 'type-check', 'types', 'mypy'],
  build: ['build'],
} as const;
const CHECKS = ['test', 'lint', 'typecheck', 'build'] as const;

/** A Makefile: used only for what nothing else in the project shows. */
export const make: Ecosystem = {
  name: 'Make',
  async detect(files) {
    const [makefile] = present(files, MAKEFILES);
    if (makefile === undefined) return undefined;
    const text = (await files.read(makefile)) ?? '';
    const has = (target: string) => new RegExp(`^${target}[ \\t]*:(?!=)`, 'm').test(text);
    const checks = CHECKS.flatMap((name): FoundCheck[] => {
      const target = TARGETS[name].find(has);
      return target === undefined ? [] : [{ name, run: `make ${target}` }];
    });
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
