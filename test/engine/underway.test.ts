import { expect, it } from 'vitest';
import { Underway } from '../../src/engine/underway.ts';

it('tells whoever waits for a look that there will be none, now and later', async () => {
  const underway = new Underway();
  const waiting = underway.looked();
  underway.fail(new Error('the disk is full'));
  underway.fail(new Error('and another'));
  await expect(waiting).rejects.toThrow('the disk is full');
  underway.look();
  await expect(underway.looked()).rejects.toThrow('the disk is full');
});

it('resolves at the next look while all is well', async () => {
  const underway = new Underway();
  const waiting = underway.looked();
  underway.look();
  await expect(waiting).resolves.toBeUndefined();
});
