import { describe, expect, it } from 'vitest';
import { features } from '../../../src/recipes/features/features.ts';
import type { RunEvent } from '../../../src/schema/event.ts';
import type { TaskSpec } from '../../../src/schema/task.ts';
import { FeaturesInput } from '../../../src/schema/work-file.ts';
import {
  added,
  attemptEnded,
  attempted,
  given,
  landed,
  type Story,
  started,
  taskEnded,
  worked,
} from '../../support/given.ts';

const TRACKS = { tracks: { back: { categories: ['api'], default: true }, front: { categories: ['ui'], features: 2 } } };

function feature(id: string, category: string, more = {}) {
  return { id, category, name: `Feature ${id}`, description: 'Do it', steps: ['it works'], status: 'open', ...more };
}

function list(...entries: unknown[]): FeaturesInput {
  return FeaturesInput.parse({ file: 'features.json', features: entries });
}

function specsOf(story: Story, input: FeaturesInput, ended?: string): TaskSpec[] {
  return features.unfold(story.state, input, ended === undefined ? undefined : story.state.tasks[ended]).add;
}

function begun(input: FeaturesInput, config = {}) {
  const story = given(started({}, config));
  return story.and(added(...specsOf(story, input)));
}

describe('a list of features', () => {
  const input = list(
    feature('1', 'api'),
    feature('2', 'ui'),
    feature('3', 'api'),
    feature('4', 'ui'),
    feature('5', 'ui'),
    feature('6', 'docs'),
  );

  it('starts so many at once in each track, by category, the rest in the default track', () => {
    const { state } = begun(input, TRACKS);
    expect(state.order.map((key) => [key, state.tasks[key]?.spec.track])).toEqual([
      ['feature/1', 'back'],
      ['feature/2', 'front'],
      ['feature/4', 'front'],
    ]);
  });

  it('starts the next of a track when one of it ends, also when it failed', () => {
    const story = begun(input, TRACKS).and(taskEnded('feature/1', 'failed'));
    expect(specsOf(story, input, 'feature/1').map(({ key }) => key)).toEqual(['feature/3']);
    const later = story.and(added(...specsOf(story, input, 'feature/1')), ...worked('feature/3'), landed('feature/3'));
    expect(specsOf(later, input, 'feature/3').map(({ key }) => key)).toEqual(['feature/6']);
  });

  it('starts the next of a track while one of it, or one that it needs, waits for a person', () => {
    const chain = list(feature('1', 'api'), feature('2', 'api', { dependsOn: ['1'] }), feature('3', 'api'));
    const blocked: RunEvent = {
      type: 'task.blocked',
      data: { task: 'feature/1', reason: 'Its agent is over its cap', nextStep: '' },
    };
    const story = begun(chain, TRACKS).and(blocked);
    expect(specsOf(story, chain).map(({ key }) => key)).toEqual(['feature/2']);
    const later = story.and(added(...specsOf(story, chain)));
    expect(specsOf(later, chain).map(({ key }) => key)).toEqual(['feature/3']);
  });

  it('wants the same again after a restart', () => {
    const story = begun(input, TRACKS);
    expect(specsOf(story, input)).toEqual([]);
  });

  it('works on what is open; finished features only when they are named', () => {
    const mixed = list(
      feature('a', 'api', { status: 'passed' }),
      feature('b', 'api', { status: 'failed' }),
      feature('c', 'api', { status: 'verifying' }),
    );
    expect(begun(mixed).state.order).toEqual(['feature/3']);
    expect(begun({ ...mixed, only: ['b'] }).state.order).toEqual(['feature/2']);
  });

  it('lets a feature wait for those it depends on, in whatever order the file has them', () => {
    const linked = list(feature('late', 'api', { dependsOn: ['early'] }), feature('early', 'api'));
    const { state } = begun(linked, { tracks: { all: { default: true, features: 5 } } });
    expect(state.tasks['feature/1']?.spec.needs).toEqual(['feature/2']);
    expect(state.tasks['feature/2']?.phase.status).toBe('ready');
  });

  it('asks for a verification by another agent with the steps, unless it is switched off', () => {
    const [spec] = specsOf(given(started()), input);
    expect(spec?.verify).toMatchObject({
      role: 'verify',
      fixRole: 'fix',
      steps: ['it works'],
      rounds: 3,
      limits: { turns: 20 },
    });
    expect(spec?.limits.turns).toBe(40);
    expect(given(started()).state.start.config.verify.tools).toEqual(['Bash', 'Read', 'Write']);
    const [plain] = specsOf(given(started({}, { verify: { disabled: true } })), input);
    expect(plain?.verify).toBeUndefined();
  });

  it('gives the verifier the application on a leased port, where a command starts it', () => {
    const [spec] = specsOf(given(started({}, { verify: { start: 'npm start' } })), input);
    expect(spec?.verify?.serve).toMatchObject({ run: 'npm start', url: 'http://127.0.0.1:{port}' });
  });

  it('starts from ai-develop, makes it, and lands each feature there', () => {
    expect(features.defaults?.(started().data.config, input)).toEqual({
      base: 'ai-develop',
      land: 'merge',
      landEach: true,
    });
  });

  it('tells the file how each feature stands, and says nothing of those it did not work on', () => {
    const story = begun(
      list(feature('1', 'api'), feature('2', 'api', { status: 'passed' }), feature('3', 'ui')),
      TRACKS,
    ).and(...worked('feature/1'), landed('feature/1'), taskEnded('feature/3', 'failed'));
    expect(features.statuses?.(story.state, input)).toMatchObject({
      file: 'features.json',
      statuses: [
        { id: '1', status: 'passed' },
        { id: '3', status: 'failed' },
      ],
    });
  });
});

describe('verification in the checkout', () => {
  const input = list(feature('1', 'api'));
  const config = { verify: { in: 'checkout', maxAttempts: 2, delayMs: 1000 } } as const;
  const textOf = (result: string) => ({ output: { steps: [{ step: 1, result, note: 'seen' }], summary: '' } });

  function verified(story: Story, round: number, result: string): Story {
    const key = `feature/1/verify/${round}`;
    return story.and(attempted(key), attemptEnded(key, 1, textOf(result)), taskEnded(key, 'done'));
  }

  function landedOnce() {
    const story = begun(input, config).and(...worked('feature/1'), landed('feature/1'));
    return story.and(added(...specsOf(story, input, 'feature/1')));
  }

  it('comes after the landing reached the base, and after the time to reload', () => {
    const spec = landedOnce().state.tasks['feature/1/verify/1']?.spec;
    expect(spec).toMatchObject({ role: 'verify', access: 'read', afterLanding: true, notBefore: 1_001_000 });
  });

  it('asks for a fix with the report, then verifies again, then gives up', () => {
    const failed = verified(landedOnce(), 1, 'fail');
    const [fix] = specsOf(failed, input, 'feature/1/verify/1');
    expect(fix).toMatchObject({ key: 'feature/1/fix/1', role: 'fix', prompt: expect.stringContaining('STEP 1: FAIL') });
    if (fix === undefined) throw new Error('there is no fix');
    const fixed = failed.and(added(fix), ...worked('feature/1/fix/1'), landed('feature/1/fix/1'));
    const again = fixed.and(added(...specsOf(fixed, input, 'feature/1/fix/1')));
    const over = verified(again, 2, 'fail');
    expect(specsOf(over, input, 'feature/1/verify/2')).toEqual([]);
    expect(features.failure?.(over.state, input)).toBe('not verified: Feature 1');
    expect(features.statuses?.(over.state, input)?.statuses).toMatchObject([{ status: 'failed' }]);
  });

  it('is over when every step passed', () => {
    const passed = verified(landedOnce(), 1, 'pass');
    expect(specsOf(passed, input, 'feature/1/verify/1')).toEqual([]);
    expect(features.failure?.(passed.state, input)).toBeUndefined();
    expect(features.statuses?.(passed.state, input)?.statuses).toMatchObject([{ status: 'passed' }]);
  });
});
