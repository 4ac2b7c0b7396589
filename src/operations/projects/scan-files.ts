import picomatch from 'picomatch';
import type { Operation } from '../operation.ts';

/** Lists the files that runs would find: those of the commit at HEAD, so that what git ignores is not among them. */
export const scanFiles: Operation<'scan-files'> = async (ports, { dir, globs, exclude }) => {
  const { commit, files } = await ports.work.files(dir);
  const isWanted = matcher(globs);
  const isLeftOut = matcher(exclude);
  const found = files.filter((file) => isWanted(file) && !isLeftOut(file));
  return { commit, files: found.sort((a, b) => (a < b ? -1 : 1)) };
};

/** A path is meant by its very name, by a folder above it, or by a glob. */
function matcher(globs: readonly string[]): (file: string) => boolean {
  const rules = globs.map((glob) => {
    const name = glob.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
    return { name, isMatch: picomatch(name === '' || name === '.' ? '**' : name, { dot: true }) };
  });
  return (file) => rules.some(({ name, isMatch }) => file === name || file.startsWith(`${name}/`) || isMatch(file));
}
