import { type Ecosystem, type Found, present } from '../ecosystem.ts';
import type { ProjectFiles } from '../project-files.ts';

const GRADLE_FILES = ['build.gradle', 'build.gradle.kts', 'settings.gradle', 'settings.gradle.kts'];
const KEY_FILES = ['pom.xml', ...GRADLE_FILES, 'src', 'app'];

/** Whatever Maven or Gradle builds. */
export const jvm: Ecosystem = {
  name: 'Java',
  async detect(files) {
    if (files.has('pom.xml')) return maven(files);
    return present(files, GRADLE_FILES).length > 0 ? gradle(files) : undefined;
  },
};

async function maven(files: ProjectFiles): Promise<Found> {
  const program = files.has('mvnw') ? './mvnw' : 'mvn';
  return {
    framework: frameworkIn((await files.read('pom.xml')) ?? '') ?? 'Maven',
    packageManager: 'maven',
    checks: [
      { name: 'test', run: `${program} --batch-mode test` },
      { name: 'build', run: `${program} --batch-mode package -DskipTests` },
    ],
    setup: [],
    dependencyDirs: [],
    keyFiles: present(files, KEY_FILES),
    notes: [],
  };
}

async function gradle(files: ProjectFiles): Promise<Found> {
  const program = files.has('gradlew') ? './gradlew' : 'gradle';
  const texts = await Promise.all(GRADLE_FILES.map((name) => files.read(name)));
  return {
    framework: frameworkIn(texts.join('\n')) ?? 'Gradle',
    packageManager: 'gradle',
    checks: [
      { name: 'test', run: `${program} --no-daemon test` },
      { name: 'build', run: `${program} --no-daemon assemble` },
    ],
    setup: [],
    dependencyDirs: [],
    keyFiles: present(files, KEY_FILES),
    notes: [],
  };
}

function frameworkIn(text: string): string | undefined {
  if (/spring-boot|org\.springframework/.test(text)) return 'Spring';
  if (/io\.quarkus/.test(text)) return 'Quarkus';
  if (/io\.micronaut/.test(text)) return 'Micronaut';
  return /com\.android\.(application|library)/.test(text) ? 'Android' : undefined;
}
