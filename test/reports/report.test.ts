import { describe, expect, it } from 'vitest';
import { acceptanceOf } from '../../src/core/finish/acceptance.ts';
import { changeSummary } from '../../src/core/finish/change-summary.ts';
import { judgementOf } from '../../src/core/finish/judgement.ts';
import { toHtml } from '../../src/reports/html.ts';
import { toMarkdown } from '../../src/reports/markdown.ts';
import type { Page } from '../../src/reports/page.ts';
import { runReport } from '../../src/reports/run-report.ts';
import type { RunEvent } from '../../src/schema/event.ts';
import { shown } from '../cli/cli-run.ts';
import {
  added,
  attemptEnded,
  attempted,
  evidence,
  given,
  landed,
  landing,
  saved,
  spec,
  started,
} from '../support/given.ts';

const SCRIPT = '<script>alert(1)</script><img src=x onerror=alert(1)>';
const ESCAPES = '\u001b[31mred\u001b[0m \u001b]8;;http://evil.example\u0007link\u001b]8;;\u0007';
const TURNED = 'safe\u202egnp.exe\u2066 zero\u200bwidth';
const MARKUP =
  '![x](http://evil.example/x) [a](javascript:alert) **b** `c` | d\n# heading\n- item\n<b>@everyone https://evil.example';

/** A report whose every text is the hostile one. */
function reportOf(text: string): Page {
  const events: RunEvent[] = [
    started({ title: text, input: { goal: text }, base: { branch: text, commit: 'base' } }),
    added(spec('implement/1.1', { title: text.slice(0, 200), gates: [{ gate: 'command', name: text, run: 'true' }] })),
    attempted('implement/1.1', 1, { because: text, agent: text }),
    attemptEnded('implement/1.1', 1, {
      summary: text,
      saved: saved('implement/1.1'),
      failure: { kind: 'tests', message: text, evidence: text },
      flags: [{ risk: 'sensitive-file', severity: 'high', blocking: false, detail: text }],
    }),
    landing('implement/1.1'),
    {
      type: 'gate.ended',
      data: {
        tasks: ['implement/1.1'],
        commit: 'c',
        evidence: { ...evidence(text, 'fail'), summary: text, output: text },
      },
    },
    {
      type: 'task.held',
      data: { task: 'implement/1.1', hold: { what: 'guard', reason: text, files: [text] }, commit: 'c' },
    },
    { type: 'task.approved', data: { task: 'implement/1.1', note: text } },
    landed('implement/1.1'),
    { type: 'run.ended', data: { status: 'done', reason: text, spend: { costUsd: 1, tokens: 1, turns: 1 } } },
  ];
  const [first, ...rest] = events;
  if (first === undefined) throw new Error('a story has a beginning');
  const full = {
    diff: `diff --git a/${text} b/${text}\n--- a\n+++ b\n@@ -1 +1 @@\n-${text}\n+${text}\n`,
    transcripts: [
      { task: 'implement/1.1', attempt: 1, total: 9, rows: [{ id: 1, at: 0, kind: text.slice(0, 100), text }] },
    ],
  };
  const { state } = given(first, ...rest);
  return runReport({ state, events: shown(events), examination: null, unreadable: text, full });
}

describe('a report as HTML', () => {
  const tags = (html: string) =>
    new Set([...html.matchAll(/<\/?([a-zA-Z!][^\s>]*)/g)].map((match) => match[1]?.toLowerCase()));
  const allowed = new Set([...tags(toHtml(reportOf('plain')))]);

  it.each([SCRIPT, MARKUP, `</title></style></pre></code>${SCRIPT}`, `"><svg onload='x'>`])(
    'lets %j become no element',
    (text) => {
      const html = toHtml(reportOf(text));
      expect([...tags(html)].filter((tag) => !allowed.has(tag))).toEqual([]);
      expect(html.match(/<[^>]*\son[a-z]+\s*=/)).toBeNull();
      expect(html).toContain('default-src &#39;none&#39;');
    },
  );

  it('holds no script, no link and nothing that is loaded', () => {
    expect(toHtml(reportOf(SCRIPT))).not.toMatch(/<(script|link|iframe|object|embed|a|img|form|base)\b/i);
  });

  it('shows what is invisible and keeps no control character', () => {
    const html = toHtml(reportOf(`${ESCAPES}${TURNED}\u0000\u009b31m\ud800`));
    expect(html).toContain('⟨U+202E⟩');
    const acting = [...html].filter(
      (char) => char !== '\n' && /[\p{Cc}\p{Cs}\u200b\u202a-\u202e\u2066-\u2069]/u.test(char),
    );
    expect(acting).toEqual([]);
    expect(html.isWellFormed()).toBe(true);
  });

  it('stays small when an agent says five megabytes', () => {
    const html = toHtml(reportOf(`${'x'.repeat(5_000_000)}`));
    expect(html.length).toBeLessThan(200_000);
    expect(html).toMatch(/more characters/);
  });
});

describe('a report as Markdown', () => {
  it('lets no text become markup, a link, a mention or HTML', () => {
    const text = toMarkdown(reportOf(`${SCRIPT} ${MARKUP}`));
    const outside = text
      .replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, '')
      .replaceAll(/(`+)(?!`)[\s\S]*?[^`]\1(?!`)/g, '');
    expect(outside).not.toMatch(/<(script|img|b)\b/i);
    expect(outside).not.toMatch(/(?<!\\)\]\(/);
    expect(outside).not.toMatch(/(?<!\\)@everyone|https:\/\//);
    expect(outside.split('\n').filter((line) => /^#+ heading/.test(line))).toEqual([]);
  });

  it('keeps every table in its columns', () => {
    const lines = toMarkdown(reportOf('a | b\n| c | `d | e`'))
      .split('\n')
      .filter((line) => line.startsWith('|'));
    const columns = lines.map((line) => line.replaceAll('\\|', '').split('|').length);
    expect(new Set(columns.slice(0, 3)).size).toBe(1);
    expect(columns.every((count) => count > 3)).toBe(true);
  });

  it('closes no block of code early', () => {
    const text = toMarkdown(reportOf('```\n# out\n````\nend'));
    expect(text).toMatch(/^`{5,}text\n```\n# out\n````\nend\n`{5,}$/m);
  });

  it('tells what was asked, who worked, what failed, and who decided', () => {
    const text = toMarkdown(reportOf('plain words'));
    expect(text).toMatch(/\| Cost \| \\\$\d+\.\d\d \|/);
    for (const part of [
      '## What was requested',
      '## What was done',
      '## Risks',
      '## Decisions',
      'attempt 1 by plain words',
      'held (guard)',
      'a person | implement/1.1 | approved | plain words',
    ])
      expect(text).toContain(part);
  });
});

describe('the report of a run whose work has not landed', () => {
  const failed = { ...evidence('npm test', 'fail'), exitCode: 3, command: 'npm test', output: 'expected 1\n' };
  const { state } = given(
    started(),
    added(spec('a')),
    attempted('a'),
    attemptEnded('a', 1, { saved: saved('a') }),
    landing('a'),
    { type: 'gate.ended', data: { tasks: ['a'], commit: 'c', evidence: failed } },
    { type: 'gate.ended', data: { tasks: [], commit: 'c', evidence: { ...failed, output: 'merged 2\n' } } },
    { type: 'task.held', data: { task: 'a', hold: { what: 'guard', reason: 'look', files: [] }, commit: 'a-commit' } },
  );
  const acceptance = acceptanceOf(state, { branch: null, base: null, changes: [] });
  const examination = { acceptance, judgement: judgementOf(state, acceptance, []), changes: changeSummary([]) };
  const text = toMarkdown(runReport({ state, events: [], examination, unreadable: null }));

  it('lists the checks that ran, with the output of those that failed', () => {
    expect(text).not.toContain('No check ran');
    expect(text).toContain('| a | `npm test` | fail | fail |');
    expect(text).toMatch(/command: npm test[\s\S]*exit code 3 after 0.0 s[\s\S]*```text\nexpected 1\n```/);
    expect(text).toMatch(/On the merge with the base: [\s\S]*merged 2/);
  });

  it('names the held work and the command that shows it', () => {
    const changed = text.slice(text.indexOf('## What changed'), text.indexOf('## What was done'));
    expect(changed).not.toContain('Nothing');
    expect(changed).toContain('`manyhands diff r0000001 a`');
  });

  it('states the acceptance once', () => {
    expect(text.match(/Acceptance/g)).toHaveLength(1);
    expect(text).toContain('The result is blocked');
  });
});

describe('a full report', () => {
  const material = (diff: string | null, text = 'I read the file.') => ({
    state: given(started(), added(spec('a')), attempted('a')).state,
    events: [],
    examination: null,
    unreadable: null,
    full: { diff, transcripts: [{ task: 'a', attempt: 1, total: 3, rows: [{ id: 3, at: 0, kind: 'text', text }] }] },
  });

  it('has the patch by file, the transcripts and a time line, and says what it leaves out', () => {
    const diff = ['one', 'two'].map((file) => `diff --git a/${file} b/${file}\n+++ b/${file}\n+new\n`).join('');
    const html = toHtml(runReport(material(diff)));
    expect([...html.matchAll(/<summary>(.*?)<\/summary>/g)].map(([, title]) => title?.split(',')[0])).toEqual([
      'one',
      'two',
      'a: a',
    ]);
    expect(html).toContain('<span class="a">+new</span>');
    expect(html).toContain('The first 2 rows are left out.');
    expect(html).toMatch(/class="timeline".*style="margin-left:[\d.]+%;width:[\d.]+%"/s);
    expect(toMarkdown(runReport(material(diff)))).toContain('```diff\ndiff --git a/one b/one');
  });

  it('removes secrets in known forms, and bounds its size', () => {
    const key = `sk-ant-api03-${'a1B2'.repeat(24)}`;
    const html = toHtml(runReport(material(`diff --git a/x b/x\n+${key}\n`, `the key is ${key}`)));
    expect(html).not.toContain(key);
    const many = Array.from({ length: 600 }, (_, index) => `diff --git a/${index} b/${index}\n+x\n`).join('');
    expect(toHtml(runReport(material(many)))).toContain('100 more files are left out');
    expect(toHtml(runReport(material('', 'x'.repeat(50_000)))).length).toBeLessThan(30_000);
  });

  it('says that the repository could not be read', () => {
    expect(toHtml(runReport(material(null)))).toContain('The repository could not be read.');
  });
});
