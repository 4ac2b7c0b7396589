import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROMPTS_FILE, promptsModule } from '../../scripts/steps/prompts.mjs';
import { promptText } from '../../src/roles/prompt.ts';
import { PROMPTS } from '../../src/roles/prompts.generated.ts';
import { parseTemplate } from '../../src/roles/template.ts';

const ROOT = join(import.meta.dirname, '..', '..');

describe('the prompt texts', () => {
  it('are generated from the current Markdown files: npm run prompts', () => {
    expect(readFileSync(join(ROOT, PROMPTS_FILE), 'utf8')).toBe(promptsModule());
  });

  it.each(Object.entries(PROMPTS))('%s is a template without errors', (_name, { text, names }) => {
    expect(parseTemplate(text, names)).toHaveProperty('parts');
  });

  it('insert values verbatim and omit sections that are empty', () => {
    const values = { task: '{{context}} $&', guidelines: ' ', context: '', redChecks: 'npm test: failed' };
    expect(promptText('recipes/job/do-job', values)).toBe(
      '{{context}} $&\n\nThese checks are red before your work and must be green after it:\nnpm test: failed',
    );
  });
});
