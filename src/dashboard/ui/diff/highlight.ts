import type { LanguageFn } from 'highlight.js';
import hljs from 'highlight.js/lib/core';
import type { DiffFile, Hunk } from './parse-diff.ts';
import { type Token, type TokenNode, tokenLines } from './token-lines.ts';

/** The tokens of each line of a hunk, by line number before and after the change. */
export type HighlightedHunk = { old: ReadonlyMap<number, Token[]>; new: ReadonlyMap<number, Token[]> };

const MAX_CHARACTERS = 200_000;
const MAX_LINE_LENGTH = 2_000;

const highlighted = new WeakMap<Hunk, HighlightedHunk | 'plain'>();
const loading = new Map<string, Promise<boolean>>();
const listeners = new Set<() => void>();

/** The tokens of a hunk; undefined until its language is loaded, and for hunks that are not highlighted. */
export function highlightHunk(file: DiffFile, hunk: Hunk): HighlightedHunk | undefined {
  const known = highlighted.get(hunk);
  if (known !== undefined) return known === 'plain' ? undefined : known;
  const language = languageOf(file.path);
  if (language === undefined || isTooLarge(hunk)) {
    highlighted.set(hunk, 'plain');
    return undefined;
  }
  if (hljs.getLanguage(language) === undefined) {
    void loaded(language);
    return undefined;
  }
  const made = { old: side(hunk, 'old', language), new: side(hunk, 'new', language) };
  highlighted.set(hunk, made);
  return made;
}

/** Calls when another language is loaded. */
export function onLanguage(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The number of loaded languages; it changes exactly when `onLanguage` calls. */
export function languageCount(): number {
  return hljs.listLanguages().length;
}

function loaded(language: string): Promise<boolean> {
  const known = loading.get(language);
  if (known !== undefined) return known;
  const registration = grammarOf(language).then(
    (grammar) => {
      if (grammar === undefined) return false;
      hljs.registerLanguage(language, grammar);
      for (const listener of listeners) listener();
      return true;
    },
    // Without its language a diff is shown without highlighting.
    () => false,
  );
  loading.set(language, registration);
  return registration;
}

function side(hunk: Hunk, which: 'old' | 'new', language: string): Map<number, Token[]> {
  const lines = hunk.lines.filter((line) => line[which] !== null);
  const code = lines.map(({ text }) => text).join('\n');
  const { _emitter } = hljs.highlight(code, { language, ignoreIllegals: true });
  const tokens = tokenLines(rootOf(_emitter));
  return new Map(lines.map((line, index) => [line[which] ?? 0, tokens[index] ?? []]));
}

/** The token tree of the highlighter; its HTML output is never used. */
function rootOf(emitter: object): TokenNode {
  const root: unknown = Reflect.get(emitter, 'rootNode');
  return isNode(root) ? root : { children: [] };
}

function isNode(value: unknown): value is TokenNode {
  return typeof value === 'object' && value !== null && 'children' in value && Array.isArray(value.children);
}

function isTooLarge({ lines }: Hunk): boolean {
  let sum = 0;
  for (const { text } of lines) {
    sum += text.length;
    if (text.length > MAX_LINE_LENGTH || sum > MAX_CHARACTERS) return true;
  }
  return false;
}

type Load = () => Promise<{ default: LanguageFn }>;

const LOADERS: Readonly<Record<string, Load>> = {
  typescript: () => import('highlight.js/lib/languages/typescript'),
  javascript: () => import('highlight.js/lib/languages/javascript'),
  json: () => import('highlight.js/lib/languages/json'),
  python: () => import('highlight.js/lib/languages/python'),
  go: () => import('highlight.js/lib/languages/go'),
  rust: () => import('highlight.js/lib/languages/rust'),
  ruby: () => import('highlight.js/lib/languages/ruby'),
  java: () => import('highlight.js/lib/languages/java'),
  kotlin: () => import('highlight.js/lib/languages/kotlin'),
  swift: () => import('highlight.js/lib/languages/swift'),
  csharp: () => import('highlight.js/lib/languages/csharp'),
  cpp: () => import('highlight.js/lib/languages/cpp'),
  php: () => import('highlight.js/lib/languages/php'),
  bash: () => import('highlight.js/lib/languages/bash'),
  css: () => import('highlight.js/lib/languages/css'),
  xml: () => import('highlight.js/lib/languages/xml'),
  yaml: () => import('highlight.js/lib/languages/yaml'),
  ini: () => import('highlight.js/lib/languages/ini'),
  sql: () => import('highlight.js/lib/languages/sql'),
  markdown: () => import('highlight.js/lib/languages/markdown'),
  dockerfile: () => import('highlight.js/lib/languages/dockerfile'),
};

const ENDINGS: Readonly<Record<string, string>> = {
  ts: 'typescript',
  mts: 'typescript',
  cts: 'typescript',
  tsx: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  cjs: 'javascript',
  jsx: 'javascript',
  json: 'json',
  jsonc: 'json',
  py: 'python',
  pyi: 'python',
  go: 'go',
  rs: 'rust',
  rb: 'ruby',
  java: 'java',
  kt: 'kotlin',
  kts: 'kotlin',
  swift: 'swift',
  cs: 'csharp',
  c: 'cpp',
  h: 'cpp',
  cc: 'cpp',
  cpp: 'cpp',
  hpp: 'cpp',
  php: 'php',
  sh: 'bash',
  bash: 'bash',
  zsh: 'bash',
  css: 'css',
  scss: 'css',
  html: 'xml',
  xml: 'xml',
  svg: 'xml',
  vue: 'xml',
  yml: 'yaml',
  yaml: 'yaml',
  toml: 'ini',
  ini: 'ini',
  sql: 'sql',
  md: 'markdown',
};

/** The language of a file by its name; undefined if unknown. */
function languageOf(path: string): string | undefined {
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  if (name === 'dockerfile') return 'dockerfile';
  return ENDINGS[name.slice(name.lastIndexOf('.') + 1)];
}

/** The grammar of a language, loaded when it is first needed. */
async function grammarOf(language: string): Promise<LanguageFn | undefined> {
  return (await LOADERS[language]?.())?.default;
}
