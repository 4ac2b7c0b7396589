import { type Ecosystem, present } from '../ecosystem.ts';

/** Whatever has a Package.swift. */
export const swift: Ecosystem = {
  name: 'Swift',
  async detect(files) {
    if (!files.has('Package.swift')) return undefined;
    return {
      framework: 'Swift',
      packageManager: 'swift',
      checks: [
        ...(files.has('Tests') ? [{ name: 'test' as const, run: 'swift test' }] : []),
        { name: 'build', run: 'swift build' },
      ],
      setup: ['swift package resolve'],
      dependencyDirs: ['.build'],
      keyFiles: present(files, ['Package.swift', 'Sources', 'Tests']),
      notes: [],
    };
  },
};
