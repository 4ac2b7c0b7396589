/** The agent of one item in so many fails. */
const FAILING_OF = 50;
const FAILING = 7;

/** Notes once for each attempt that is paid for whether another agent works on the same task, and writes its file. */
export const FAULTY_AGENT = `#!/bin/sh
file=$(sed -n 's/^Files: //p')
number=$(basename "$file" .txt)
live="$HOME/ran.live-$number"
other=$(cat "$live" 2> /dev/null)
with=alone
[ -n "$other" ] && tr '\\0' '\\n' < "/proc/$other/environ" 2> /dev/null | grep -qx "MANYHANDS_TASK=$MANYHANDS_TASK" && with=together
echo $$ > "$live"
echo "$MANYHANDS_TASK $PWD" >> "$HOME/ran"
echo "$MANYHANDS_ATTEMPT $with" >> "$HOME/ran.paid"
sleep $((2 + number % 5))
[ $((number % ${FAILING_OF})) -eq ${FAILING} ] && exit 3
while [ -e "$HOME/ran.hold" ] && [ "$number" -ge "$(cat "$HOME/ran.hold")" ]; do sleep 0.5; done
mkdir -p made
echo "line of $MANYHANDS_TASK" > "$file"
echo "wrote $file"
`;

/** The lines of a file of items that each write one file. */
export function itemLines(items: number): string {
  const line = (number: number) => ({
    id: `i${number}`,
    prompt: `Write item ${number}`,
    files: [`made/${number}.txt`],
    ...(isFailing(number) ? { attempts: 1 } : {}),
  });
  return numbers(items)
    .map((number) => JSON.stringify(line(number)))
    .join('\n');
}

/** Whether the agent of an item fails, so that its task must fail once. */
export function isFailing(number: number): boolean {
  return number % FAILING_OF === FAILING;
}

/** The numbers from 0. */
export function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, number) => number);
}
