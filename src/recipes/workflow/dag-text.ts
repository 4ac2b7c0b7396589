import { promptText } from '../../roles/prompt.ts';
import { WorkText } from '../../schema/work-file.ts';
import type { Reading } from '../../work-files/checked.ts';
import type { Path } from '../../work-files/source.ts';
import type { DagTask } from './dag-keys.ts';

/** The prompt of a task of a graph: its system prompt, the task, and the meaning of its placeholders. */
export function dagTaskText({ source, errors }: Reading, at: Path, task: DagTask): string {
  const given = task.prompt ?? task.prompt_template ?? task.instruction;
  if (given === undefined) {
    errors.addAt(source, [...at, 'prompt'], { code: 'missing_field', reason: 'missing; must be a text' });
    return '';
  }
  const prompt = promptText('recipes/workflow/dag-task', {
    systemPrompt: task.system_prompt?.trim() ?? '',
    prompt: given,
    placeholders: placeholders(task),
  });
  const whole = WorkText.safeParse(prompt);
  if (whole.success) return whole.data;
  errors.addAt(source, at, {
    code: 'too_large',
    reason: 'the whole prompt must have at most 200,000 characters',
  });
  return '';
}

function placeholders({ links, transform }: DagTask): string {
  const linked = (links ?? []).map((link) =>
    promptText('recipes/workflow/dag-link', {
      key: link.input_key,
      path: link.output_path,
      task: link.upstream_task,
    }),
  );
  const transformed = (transform ?? []).map(({ source_path, target_key, ...rest }) => {
    const fallback = rest.default === undefined ? '' : JSON.stringify(rest.default);
    return promptText('recipes/workflow/dag-transform', { key: target_key, path: source_path, default: fallback });
  });
  return [...linked, ...transformed].join('\n');
}
