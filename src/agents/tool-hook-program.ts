import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { editWarning } from '../access/socket/edit-check.ts';
import { requestOf } from '../core/policy/tool-request.ts';
import { readUse, refusal, type ScopeHookInput } from '../gates/scope/scope-hook.ts';

/** To the agent's program this exit code means: do not use the tool, and show the model the text on standard error. */
const REFUSED = 2;
const STANDARD_INPUT = 0;

/**
 * Answers one request of an agent's program about a tool. With rules: may it be used? What cannot be judged is refused.
 * Then: does the agent edit files that it has not locked? That is a warning for the model, and refuses nothing.
 */
async function main(inputFile: string, use: string | undefined): Promise<number> {
  const isRuled = use === 'rules';
  try {
    // We wrote the file, for this attempt.
    const input = JSON.parse(readFileSync(inputFile, 'utf8')) as ScopeHookInput;
    const request = readFileSync(STANDARD_INPUT, 'utf8');
    const reason = isRuled ? refusal(input, request) : undefined;
    if (reason === undefined) {
      await warn(input, request).catch(() => {});
      return 0;
    }
    process.stderr.write(`${reason}\n`);
  } catch (error) {
    if (!isRuled) return 0;
    process.stderr.write(
      `The scope of this task could not be read: ${error instanceof Error ? error.message : error}\n`,
    );
  }
  return REFUSED;
}

/** Writes what the model reads beside the result of the tool. */
async function warn({ tools, workspace }: ScopeHookInput, request: string): Promise<void> {
  const use = readUse(request);
  if (tools === undefined || use === undefined) return;
  const inside = (path: string) => resolve(use.cwd ?? workspace, path);
  const { kind, paths = [] } = requestOf(use, { role: '', inside });
  if (kind !== 'Edit' || paths.length === 0) return;
  const additionalContext = await editWarning(tools, paths);
  if (additionalContext === undefined) return;
  process.stdout.write(JSON.stringify({ hookSpecificOutput: { hookEventName: use.event, additionalContext } }));
}

void main(process.argv[2] ?? '', process.argv[3]).then((code) => {
  process.exitCode = code;
});
