import { WorkText } from '../../schema/work-file.ts';
import type { Reading } from '../../work-files/checked.ts';
import type { Path } from '../../work-files/source.ts';
import type { DagTask } from './dag-keys.ts';

/** What an agent is told for a task of a graph: its standing instructions, the task, and what its placeholders stand for. */
export function dagTaskText({ source, mistakes }: Reading, at: Path, task: DagTask): string {
  const given = task.prompt ?? task.prompt_template ?? task.instruction;
  if (given === undefined) {
    mistakes.addAt(source, [...at, 'prompt'], { code: 'missing_field', reason: 'missing; must be a text' });
    return '';
  }
  const parts = [task.system_prompt?.trim() ?? '', given, placeholders(task)].filter((part) => part !== '');
  const whole = WorkText.safeParse(parts.join('\n\n'));
  if (whole.success) return whole.data;
  mistakes.addAt(source, at, {
    code: 'too_large',
    reason: 'what is asked for, put together, must have at most 200,000 characters',
  });
  return '';
}

function placeholders({ links, transform }: DagTask): string {
  const linked = (links ?? []).map(
    ({ upstream_task, output_path, input_key }) =>
      `- \${${input_key}}: ${output_path} of the output of ${upstream_task}`,
  );
  const taken = (transform ?? []).map(({ source_path, target_key, ...rest }) => {
    const otherwise = rest.default === undefined ? '' : `, or ${JSON.stringify(rest.default)} if it is not there`;
    return `- \${${target_key}}: ${source_path} of the outputs before${otherwise}`;
  });
  const lines = [...linked, ...taken];
  return lines.length === 0 ? '' : `What the placeholders stand for:\n${lines.join('\n')}`;
}
