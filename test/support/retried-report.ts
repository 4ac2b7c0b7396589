import type { Reporter, TestCase } from 'vitest/node';

/** After the tests: which were passed only when they were tried again, and why they had failed. */
export class RetriedReport implements Reporter {
  readonly #retried: string[] = [];

  onTestCaseResult(test: TestCase): void {
    const { state, errors = [] } = test.result();
    if (state !== 'passed' || (test.diagnostic()?.retryCount ?? 0) === 0) return;
    this.#retried.push(
      [test.fullName, ...errors.map(({ message, stack, diff }) => [stack ?? message, diff ?? ''].join('\n'))].join(
        '\n',
      ),
    );
  }

  onTestRunEnd(): void {
    for (const text of this.#retried) process.stdout.write(`\nRETRIED: ${text}\n`);
  }
}
