import { AppError, fromSystemError } from '../errors.ts';
import { git } from './git.ts';

/** In older versions a fetch can run a program that an agent configured. */
const OLDEST = [2, 39, 4] as const;

/** The version that the git on PATH reports. */
export async function gitVersion(): Promise<string> {
  const { stdout } = await git(['version'], { cwd: '/' });
  return stdout.trim().replace(/^git version /, '');
}

/** Throws if git is missing or too old to be safe. */
export async function requireGit(): Promise<string> {
  const version = await gitVersion().catch((error: unknown) => {
    const known = fromSystemError(error instanceof AppError ? error.cause : error, 'git was started');
    if (known instanceof AppError) throw known;
    throw new AppError('GIT_TOO_OLD', 'git was not found on PATH', {}, { cause: error });
  });
  if (isTooOld(version)) {
    throw new AppError('GIT_TOO_OLD', `git ${version} is older than ${OLDEST.join('.')}`, { version });
  }
  return version;
}

/** Whether a version is older than the oldest safe one. */
export function isTooOld(version: string): boolean {
  const numbers = version.split(/[^0-9]+/).map(Number);
  for (const [index, least] of OLDEST.entries()) {
    const number = numbers[index] ?? 0;
    if (number !== least) return number < least;
  }
  return false;
}
