import { joinPath } from './shell-commands.ts';

const SCRIPT = /\.([cm]?[jt]sx?|vue|svelte)$/i;
const EXTENSIONS = [
  '',
  '.js',
  '.ts',
  '.mjs',
  '.cjs',
  '.mts',
  '.cts',
  '.jsx',
  '.tsx',
  '.json',
  '.py',
  '.rb',
  '.php',
  '.sh',
  '.pl',
  '.pm',
  '.lua',
];
const INDEXES = ['/index.js', '/index.ts', '/index.mjs', '/index.cjs', '/__init__.py', '/__main__.py', '/main.py'];
/** Longer files are data. */
const MAX_CHARS = 300_000;

/** Programs in whose text imports and names of files are searched. */
export function isProgram(path: string): boolean {
  return SCRIPT.test(path) || /\.(py|rb|php|pl|pm|t|lua)$/i.test(path);
}

/** The file that a name leads to, tried with the usual extensions. */
export function resolveFile(name: string, files: ReadonlySet<string>): string | undefined {
  for (const suffix of EXTENSIONS) if (files.has(name + suffix)) return name + suffix;
  for (const suffix of INDEXES) if (files.has(name + suffix)) return name + suffix;
  // TypeScript imports the file `a.ts` by the name `a.js`.
  const stem = name.replace(/\.[cm]?jsx?$/, '');
  return stem === name
    ? undefined
    : EXTENSIONS.slice(2, 9)
        .map((suffix) => stem + suffix)
        .find((path) => files.has(path));
}

/** The files of the repository that a program imports. */
export function importedFiles(path: string, text: string, files: ReadonlySet<string>): string[] {
  const folder = folderOf(path);
  const found = new Set<string>();
  const add = (name: string) => {
    const file = resolveFile(name, files);
    if (file !== undefined && file !== path) found.add(file);
  };
  const read = text.slice(0, MAX_CHARS);
  if (path.endsWith('.py')) for (const name of pythonModules(read, folder)) add(name);
  else for (const name of quotedTexts(read)) if (/^\.{1,2}\//.test(name)) add(joinPath(folder, name));
  if (/\.(rb|php|pl|pm|lua)$/.test(path))
    for (const name of quotedTexts(read)) for (const from of [folder, '', 'lib']) add(joinPath(from, name));
  if (/\.(pl|pm|t)$/.test(path))
    for (const name of perlModules(read)) for (const from of PERL_ROOTS) add(joinPath(from, name));
  return [...found];
}

/** Whether a script names this file as a part of a package, such as `app/expect`, `#expect` or a package of the repository. */
export function namesInPackage(path: string, text: string, module: string): boolean {
  if (!SCRIPT.test(path) || !SCRIPT.test(module)) return false;
  const parts = module.replace(/\.\w+$/, '').split('/');
  const isIndex = parts.at(-1) === 'index';
  const name = isIndex ? parts.at(-2) : parts.at(-1);
  return quotedTexts(text).some((quoted) => {
    if (!/^[@#\w][\w@#./-]*$/.test(quoted)) return false;
    const [last = '', ...before] = quoted
      .replace(/\.[cm]?[jt]sx?$/, '')
      .split(/[/#]/)
      .reverse();
    return last === name && (isIndex || before.length > 0);
  });
}

/** The texts between quotes in a program or a configuration file. */
export function quotedTexts(text: string): string[] {
  return [...text.slice(0, MAX_CHARS).matchAll(/"([^"\\\n]{1,300})"|'([^'\\\n]{1,300})'|`([^`\\\n]{1,300})`/g)].map(
    (match) => match[1] ?? match[2] ?? match[3] ?? '',
  );
}

/** An extended regular expression, as `git grep -E` understands it, that every file matches which could import this one. */
export function importPattern(path: string): string {
  const parts = path.replace(/\.\w+$/, '').split('/');
  const name = /^(index|__init__|__main__|mod)$/.test(parts.at(-1) ?? '') ? parts.at(-2) : parts.at(-1);
  return (name ?? '').replace(/[^\w-]/g, '.');
}

const PERL_ROOTS = ['lib', 't/lib', ''];

function perlModules(text: string): string[] {
  const used = /^[ \t]*(?:use|require)[ \t]+([A-Z][\w:]*)/gm;
  return [...text.matchAll(used)].map(([, name = '']) => `${name.replaceAll('::', '/')}.pm`);
}

function pythonModules(text: string, folder: string): string[] {
  const roots = [...new Set(['', folder, 'src'])];
  const found: string[] = [];
  const add = (module: string) => {
    const dots = /^\.*/.exec(module)?.[0].length ?? 0;
    const name = module.slice(dots).replaceAll('.', '/');
    if (dots > 0) found.push(joinPath(folder, `${'../'.repeat(dots - 1)}${name}`));
    else for (const root of roots) found.push(joinPath(root, name));
  };
  for (const [, from = '', names = ''] of text.matchAll(
    /^[ \t]*from[ \t]+([.\w]+)[ \t]+import[ \t]+(\([^)]*\)|[^\n#]*)/gm,
  )) {
    add(from);
    for (const name of names.replace(/[()]/g, '').split(',')) {
      const [plain = ''] = name.trim().split(/\s/);
      if (plain !== '' && plain !== '*') add(from.endsWith('.') ? `${from}${plain}` : `${from}.${plain}`);
    }
  }
  for (const [, names = ''] of text.matchAll(/^[ \t]*import[ \t]+([^\n#]+)/gm))
    for (const name of names.split(',')) add(name.trim().split(/\s/)[0] ?? '');
  for (const [, name = ''] of text.matchAll(/(?:import_module|__import__|run_module|run_path)\(\s*['"]([^'"]+)['"]/g))
    add(name);
  for (const [, list = ''] of text.matchAll(/pytest_plugins\s*=\s*([^\n]+(?:\n[^\n=]*)*)/g))
    for (const name of quotedTexts(list)) add(name);
  return found;
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')));
}
