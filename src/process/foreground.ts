import { spawn } from 'node:child_process';

/** Runs a program in the user's terminal, such as an editor, and resolves with its exit code when it ends; null for a signal. */
export function runInForeground(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number | null> {
  const [program = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => resolve(code));
  });
}
