const waiting: (() => void)[] = [];
let isTaken = false;

/**
 * Resolves when a program may be started: one in each turn of the event loop. A start copies the page tables of this
 * process, a millisecond or more for each; a hundred in one turn would keep everything else waiting. The ends of programs
 * that the spawner reports take turns too.
 */
export function spawnTurn(): Promise<void> {
  if (isTaken) return new Promise((resolve) => waiting.push(resolve));
  isTaken = true;
  setImmediate(nextTurn);
  return Promise.resolve();
}

function nextTurn(): void {
  const start = waiting.shift();
  if (start === undefined) {
    isTaken = false;
    return;
  }
  setImmediate(nextTurn);
  start();
}
