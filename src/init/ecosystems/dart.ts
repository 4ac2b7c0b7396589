import { type Ecosystem, type FoundCheck, present } from '../ecosystem.ts';

/** Whatever has a pubspec.yaml. */
export const dart: Ecosystem = {
  name: 'Dart',
  async detect(files) {
    if (!files.has('pubspec.yaml')) return undefined;
    const isFlutter = /^[ \t]+sdk:[ \t]*flutter\b/m.test((await files.read('pubspec.yaml')) ?? '');
    const program = isFlutter ? 'flutter' : 'dart';
    const checks: FoundCheck[] = [
      ...(files.has('test') ? [{ name: 'test' as const, run: `${program} test` }] : []),
      { name: 'lint', run: `${program} analyze` },
    ];
    return {
      framework: isFlutter ? 'Flutter' : 'Dart',
      packageManager: 'pub',
      checks,
      setup: [`${program} pub get`],
      dependencyDirs: ['.dart_tool'],
      keyFiles: present(files, ['pubspec.yaml', 'lib', 'test']),
      notes: [],
    };
  },
};
