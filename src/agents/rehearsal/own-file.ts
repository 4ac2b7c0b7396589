import type { Edit } from '../scenario-step.ts';

type Writer = { task: string; allow: readonly string[]; line: string };

const GLOB = /[*?[\]{}()!]/;
const PROSE = /\.(md|txt)$/;

/** An edit that a task may make and no other task makes: in a file of its own, or in the one file that its scope names. */
export function ownEdit({ task, allow, line }: Writer, isFolder: (path: string) => boolean): Edit {
  const name = task.replaceAll('/', '-');
  const [first] = allow;
  if (first === undefined) return { path: `rehearsal/${name}.md`, append: line };
  const path = pathIn(first, `rehearsal-${name}`, isFolder);
  // An empty line more breaks the syntax of no file.
  return { path, append: PROSE.test(path) ? line : '\n' };
}

function pathIn(allowed: string, name: string, isFolder: (path: string) => boolean): string {
  const plain = allowed.replace(/^(\.\/)+/, '').replace(/\/+$/, '');
  const segments = plain.split('/');
  const glob = segments.findIndex((segment) => GLOB.test(segment));
  if (glob >= 0) {
    const ending = /^\*(\.[\w.-]+)$/.exec(segments.at(-1) ?? '')?.[1] ?? '.md';
    return [...segments.slice(0, glob), `${name}${ending}`].join('/');
  }
  const isFile = !allowed.endsWith('/') && !isFolder(plain) && (segments.at(-1) ?? '').includes('.');
  return isFile ? plain : `${plain}/${name}.md`;
}
