import { promptText } from '../roles/prompt.ts';
import type { BenchTask } from './bench-task.ts';

const SOURCE = `import { join } from 'node:path';

/** The file that a visitor asked for, as an absolute path inside root; null for whatever is not inside it. */
export function downloadPath(root, name) {
  return join(root, name.replace('../', ''));
}

/** A comment as HTML: what a visitor wrote is shown as text and can never act. */
export function commentHtml({ author, text }) {
  return \`<article title="\${author}"><p>\${text.replace('<script>', '')}</p></article>\`;
}
`;

const CHECK = `import assert from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
const { downloadPath, commentHtml } = await import(pathToFileURL(join(process.cwd(), 'visitors.mjs')).href);
const root = '/srv/files';
assert.equal(downloadPath(root, 'a.txt'), '/srv/files/a.txt');
assert.equal(downloadPath(root, 'sub/../b.txt'), '/srv/files/b.txt', 'a detour inside');
assert.equal(downloadPath(root, '..notes.txt'), '/srv/files/..notes.txt', 'a name that begins with dots');
for (const name of ['../x', 'a/../../x', '../files-of-others/x', '/etc/passwd', '..', 'a\\0.txt'])
  assert.equal(downloadPath(root, name), null, JSON.stringify(name));
const html = commentHtml({ author: '" onmouseover="steal()', text: '<scr<script>ipt>steal()</script><img src=x onerror=steal()>' });
assert(!/<(script|img)/i.test(html), 'no element of the visitor');
assert(!/" onmouseover/.test(html), 'no attribute of the visitor');
assert(html.includes('&lt;') && html.includes('&quot;'), 'shown as text');
assert.equal(commentHtml({ author: 'Ann', text: 'Fish & chips' }), '<article title="Ann"><p>Fish &amp; chips</p></article>');
`;

/** Fixing vulnerabilities completely, without breaking legitimate use. */
export const security: BenchTask = {
  kind: 'security',
  title: 'Fix two vulnerabilities without breaking legitimate use',
  prompt: promptText('bench/prompts/security', {}),
  files: { 'visitors.mjs': SOURCE, 'README.md': '# Visitors\n' },
  check: CHECK,
  tokens: { input: 60_000, output: 3_000 },
  mostUsd: 1,
};
