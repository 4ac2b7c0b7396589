import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SHARED_FOLDER } from '../support/contained.ts';
import { makeScratch, type Scratch, writeFiles } from '../support/scratch.ts';

/** What each attempt says that it has cost. */
export const ATTEMPT_USD = 0.01;
/** Plan, three implementers of whom one is sent back once, a resolver, a review: so often a model is paid, whatever crashes. */
export const PAID_ATTEMPTS = 7;

/** Arguments that start the run: three tasks side by side, two of which conflict and one fails its check at first. */
export const GOAL = ['do', 'Write the list', '--json'];
/** Arguments that start a single task whose result moves the user's own branch. */
export const MERGE_JOB = ['job', 'Write the third file', '--land', 'merge', '--json'];
/** Plan and review are left out, the first attempt is sent back. */
export const PAID_MERGE_ATTEMPTS = 2;

/** Arguments that start two cycles. */
export const CYCLE = ['cycle', 'List one and two', '--json'];
/** The plan, and an implementation and a review in each cycle. */
export const PAID_CYCLE_ATTEMPTS = 5;
/** Arguments that start a debate of two rounds whose outcome is acted on. */
export const DEBATE = ['debate', 'What is missing?', '--then', 'Add it', '--json'];
/** Two sides in two rounds, the action, and its verification. */
export const PAID_DEBATE_ATTEMPTS = 6;

/** Arguments that start a team of two roles, whose plan is implemented. */
export const TEAM = ['team', 'What is missing?', '--roles', 'requirements,testing', '--write', '--json'];
/** Two roles in three phases, the synthesis, the implementation, and its verification. */
export const PAID_TEAM_ATTEMPTS = 9;
/** Arguments that start one improvement. */
export const IMPROVE = ['improve', '--yes', '--json'];
/** The discovery, and the improvement. */
export const PAID_IMPROVE_ATTEMPTS = 2;

const PLAN = {
  tasks: [
    { id: 'one', title: 'Add one', description: 'Append one to list.txt.' },
    { id: 'two', title: 'Add two', description: 'Append two to list.txt.' },
    { id: 'three', title: 'Write the third file', description: 'Write right into three.txt.' },
  ],
};
const MILESTONES = [
  { title: 'One', description: 'one is listed', check: 'grep -q one list.txt' },
  { title: 'Two', description: 'two is listed' },
];
const STANCES = ['P1', 'P2'].map((point) => ({ point, stance: 'agree', evidence: 'list.txt:1' }));
const STEPS = ['P1', 'P2'].map((point) => ({ title: `Do ${point}`, points: [point] }));
const MEASURE = { command: 'wc -l <list.txt', metric: 'number', better: 'higher' };
const SPOT = { title: 'Short', category: 'other', description: '', measure: MEASURE, value: 'low', effort: 'low' };
const USAGE = `"usage":{"costUsd":${ATTEMPT_USD}}`;

/**
 * Its steps depend on what it finds, never on how often it was started, so that a crash does not change the story. The
 * third task waits until another has landed, so that what is rejected is a merge of the two.
 */
const AGENT = `#!/bin/sh
echo "$MANYHANDS_ATTEMPT" >>"$HOME/${SHARED_FOLDER}/ledger"
landed() { test "$(cat "$HOME"/data/mirrors/*.git/refs/manyhands/runs/*)" != "$(git rev-parse HEAD)"; }
said() { printf '{%s,${USAGE}}\\n' "$1"; exit; }
has() { if grep -q "$1" list.txt; then echo pass; else echo fail; fi; }
case "$MANYHANDS_TASK" in
  plan/1) if [ "$MANYHANDS_ROLE" = assess ]; then said '"milestones":${JSON.stringify(MILESTONES)}'; fi ;;
  cycle/*/implement) echo "$(if grep -q one list.txt; then echo two; else echo one; fi)" >>list.txt; said '"ok":true' ;;
  cycle/*/review) said "$(echo '"summary":"Fine.","findings":[],"steps":[{"step":1,"result":"'"$(has one)"'","note":"list.txt:2"},{"step":2,"result":"'"$(has two)"'","note":"list.txt:3"}]')" ;;
  debate/1/1/*) said '"verdict":"disagree","position":"?","points":[{"claim":"'"$MANYHANDS_TASK"'","evidence":"list.txt:1"}]' ;;
  debate/1/2/*) said '"verdict":"agree","points":[],"answers":[{"point":"P1","stance":"agree","evidence":"list.txt:1"},{"point":"P2","stance":"agree","evidence":"list.txt:1"}]' ;;
  role/*) said '"position":"?","answers":[],"gaps":[],"points":[{"claim":"'"$MANYHANDS_TASK"'","evidence":"list.txt:1"}]' ;;
  cross/*|vote/*) said '"position":"?","points":[],"gaps":[],"answers":${JSON.stringify(STANCES)}' ;;
  synthesis) said '"summary":"Do it.","steps":${JSON.stringify(STEPS)}' ;;
  implement) echo right >three.txt; said '"ok":true' ;;
  discover/1) said '"summary":"One.","spots":[${JSON.stringify(SPOT)}]' ;;
  improve/1.1) echo more >>list.txt; said '"ok":true' ;;
  look) said '"summary":"One.","proposals":[{"title":"Short list","category":"bug","description":"","file":"list.txt","line":1,"evidence":"list.txt:1","confidence":0.9}]' ;;
  confirm/1) said '"verdict":"confirmed","evidence":"list.txt:1","confidence":0.9' ;;
  action/1) echo right >three.txt; said '"ok":true' ;;
esac
if [ "$MANYHANDS_ROLE" = verify ]; then said '"summary":"Fine.","steps":[{"step":1,"result":"pass","note":"ran it"},{"step":2,"result":"pass","note":"ran it"}]'; fi
case "$MANYHANDS_TASK" in
  plan/*) echo '{"tasks":${JSON.stringify(PLAN.tasks)},${USAGE}}'; exit ;;
  review/*) echo '{"findings":[],"summary":"Fine.",${USAGE}}'; exit ;;
  implement/1.1) echo one >>list.txt; git commit --quiet --all --message='Add one' ;;
  implement/1.2) echo two >>list.txt ;;
  implement/1.3) if [ -e three.txt ]; then echo right >three.txt; else until landed; do sleep 0.05; done; echo wrong >three.txt; fi ;;
  resolve/*) sed -i '/^[<=>|]\\{7\\}/d' list.txt ;;
  *) if [ -e three.txt ]; then echo right >three.txt; else echo wrong >three.txt; fi ;;
esac
echo '{${USAGE}}'
`;

const CHECK = `grep -q '^[<=>]' list.txt && exit 1
test ! -e three.txt || grep -q right three.txt
`;

/** Kept small: a case of the suite runs all of it, twice or more. */
const CONFIG = `
checks: ['sh check.sh']
agents: { scripted: { kind: command, command: ../programs/agent.sh } }
limits: { retryDelaySeconds: 0, freeDiskMb: 0, freeMemoryMb: 0 }
workspace: { symlinkDirs: [deps], setup: ['mkdir deps && echo ready >deps/state'], teardown: ['test -e deps/state'] }
`;

/** The scratch repository of the crash suite, with its agent beside it. */
export async function makeScene(contained?: boolean): Promise<Scratch> {
  const scratch = await makeScratch({
    contained,
    files: { 'list.txt': 'start\n', 'check.sh': CHECK, '.gitignore': 'deps/\n', '.manyhands/config.yaml': CONFIG },
  });
  writeFiles(scratch.root, { 'programs/agent.sh': AGENT });
  return scratch;
}

/** One line for each time an agent really worked: the id of its attempt. */
export function readLedger({ root }: Pick<Scratch, 'root'>): string[] {
  const file = join(root, SHARED_FOLDER, 'ledger');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}
