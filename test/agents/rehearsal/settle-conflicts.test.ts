import { describe, expect, it } from 'vitest';
import { settleConflicts } from '../../../src/agents/rehearsal/perform-step.ts';

const CONFLICT = '<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> side\n';

describe('resolving conflicts', () => {
  it('keeps one side or both, ours first', () => {
    expect(settleConflicts(`a\n${CONFLICT}b\n${CONFLICT}`, 'union')).toBe('a\nours\ntheirs\nb\nours\ntheirs\n');
    expect(settleConflicts(CONFLICT, 'ours')).toBe('ours\n');
    expect(settleConflicts(CONFLICT, 'theirs')).toBe('theirs\n');
  });

  it('drops the base that diff3 shows', () => {
    const diff3 = '<<<<<<< HEAD\nours\n||||||| base\nbase\n=======\ntheirs\n>>>>>>> side\n';
    expect(settleConflicts(diff3, 'union')).toBe('ours\ntheirs\n');
  });

  it('does not change a heading underlined like a marker', () => {
    const text = 'Title\n=======\n\n>>>>>>> quoted\n';
    expect(settleConflicts(text, 'ours')).toBe(text);
  });

  it('does not change an incomplete conflict', () => {
    const text = `<<<<<<< HEAD\nlost\n${CONFLICT}<<<<<<< HEAD\nx\n=======\n`;
    expect(settleConflicts(text, 'ours')).toBe('<<<<<<< HEAD\nlost\nours\n<<<<<<< HEAD\nx\n=======\n');
  });

  it('keeps carriage returns', () => {
    expect(settleConflicts(CONFLICT.replaceAll('\n', '\r\n'), 'union')).toBe('ours\r\ntheirs\r\n');
  });
});
