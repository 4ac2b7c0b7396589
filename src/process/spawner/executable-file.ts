import { accessSync, constants, statSync } from 'node:fs';

/** Whether a path is a file that this process may execute; a folder may be entered, which is not the same. */
export function isExecutableFile(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // There is none, or it is not executable: both are a result.
    return false;
  }
}
