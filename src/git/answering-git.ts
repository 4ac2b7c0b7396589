import { AnsweringProgram, type AnswerReader } from '../process/answering-program.ts';
import { gitEnvironment } from './environment.ts';
import type { Mirror } from './mirror/mirror-config.ts';

/** One git process for each mirror that answers many requests, because a process for each costs ten times as much. */
export type AnsweringGit<Answer> = (mirror: Pick<Mirror, 'dir'>) => AnsweringProgram<Answer>;

/** The programs of a git command that reads requests; it runs in the same cleared environment as every other one. */
export function answeringGit<Answer>(args: readonly string[], read: AnswerReader<Answer>): AnsweringGit<Answer> {
  const programs = new Map<string, AnsweringProgram<Answer>>();
  return ({ dir }) => {
    const known = programs.get(dir);
    if (known !== undefined) return known;
    const command = ['git', `--git-dir=${dir}`, ...args];
    const program = new AnsweringProgram({ command, cwd: dir, env: gitEnvironment(false), read });
    programs.set(dir, program);
    return program;
  };
}
