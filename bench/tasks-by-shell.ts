import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PLAIN_ENVIRONMENT } from './scratch.ts';
import { type Spent, spentBy } from './spent.ts';

export type ShellTasks = { folder: string; repository: string; agent: string; tasks: number; parallel: number };

/**
 * One task as a simple script: clone, run the agent, commit, fetch into the mirror, merge under a lock, remove the clone.
 * Nothing is recorded, checked, supervised or protected from a crash.
 */
const ONE_TASK = `set -eu
task=$1
git clone --quiet --shared "$MIRROR" "ws-$task"
cd "ws-$task"
MANYHANDS_ROLE=implement MANYHANDS_TASK="implement/1.$task" "$AGENT" </dev/null >"../out-$task" 2>&1
git add --all
git commit --quiet --message="Task $task"
cd ..
git --git-dir="$MIRROR" fetch --quiet --no-tags "ws-$task" "HEAD:refs/tasks/$task"
exec 9>merge.lock
flock 9
tip=$(git --git-dir="$MIRROR" rev-parse refs/heads/run)
tree=$(git --git-dir="$MIRROR" merge-tree --write-tree "$tip" "refs/tasks/$task")
commit=$(git --git-dir="$MIRROR" commit-tree "$tree" -p "$tip" -p "refs/tasks/$task" -m "Merge task $task")
git --git-dir="$MIRROR" update-ref refs/heads/run "$commit" "$tip"
exec 9>&-
rm -rf "ws-$task"
`;

const ALL_TASKS = `set -eu
git clone --quiet --bare --local "$REPOSITORY" "$MIRROR"
git --git-dir="$MIRROR" branch run
seq 1 "$TASKS" | xargs -P "$PARALLEL" -n 1 sh ./task.sh
git --git-dir="$MIRROR" push --quiet "$REPOSITORY" run
`;

/** After so many objects git would start maintenance in the background, which is not part of the measured work. */
const WITHOUT_MAINTENANCE = {
  ...PLAIN_ENVIRONMENT,
  GIT_CONFIG_COUNT: '2',
  GIT_CONFIG_KEY_0: 'gc.auto',
  GIT_CONFIG_VALUE_0: '0',
  GIT_CONFIG_KEY_1: 'maintenance.auto',
  GIT_CONFIG_VALUE_1: 'false',
};

/** The same clones, commits and merges as a shell script with xargs. */
export async function tasksByShell(options: ShellTasks): Promise<Spent> {
  const { folder } = options;
  await writeFile(join(folder, 'task.sh'), ONE_TASK);
  await writeFile(join(folder, 'all.sh'), ALL_TASKS);
  const variables = {
    REPOSITORY: options.repository,
    MIRROR: join(folder, 'mirror.git'),
    AGENT: options.agent,
    TASKS: String(options.tasks),
    PARALLEL: String(options.parallel),
  };
  return spentBy(['sh', './all.sh'], folder, { env: { ...WITHOUT_MAINTENANCE, ...variables } });
}
