/** SHA-256 of a short text, in hexadecimal digits. For names that every start computes: node:crypto takes milliseconds to load. */
export function sha256(text: string): string {
  const words = paddedWords(new TextEncoder().encode(text));
  const state = [...INITIAL];
  for (let block = 0; block < words.length; block += WORDS_PER_BLOCK)
    addBlock(state, words.subarray(block, block + WORDS_PER_BLOCK));
  return state.map((word) => (word >>> 0).toString(16).padStart(8, '0')).join('');
}

const WORDS_PER_BLOCK = 16;
const ROUNDS = 64;
/** FIPS 180-4: the first bits of the fractional parts of the square and cube roots of the first primes. */
const PRIMES = firstPrimes(ROUNDS);
const INITIAL = PRIMES.slice(0, 8).map((prime) => fractionBits(Math.sqrt(prime)));
const CONSTANTS = PRIMES.map((prime) => fractionBits(Math.cbrt(prime)));

/** The bytes, a one bit, zeros up to a whole block, and the length in bits. */
function paddedWords(bytes: Uint8Array): Uint32Array {
  const length = Math.ceil((bytes.length + 9) / 64) * 64;
  const padded = new Uint8Array(length);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(length - 4, bytes.length * 8);
  return Uint32Array.from({ length: length / 4 }, (_, index) => view.getUint32(index * 4));
}

/** Changes the state in place. */
function addBlock(state: number[], block: Uint32Array): void {
  const schedule = new Int32Array(ROUNDS);
  schedule.set(block);
  for (let round = WORDS_PER_BLOCK; round < ROUNDS; round += 1) {
    const [early = 0, late = 0] = [schedule[round - 15], schedule[round - 2]];
    const small0 = rotated(early, 7) ^ rotated(early, 18) ^ (early >>> 3);
    const small1 = rotated(late, 17) ^ rotated(late, 19) ^ (late >>> 10);
    schedule[round] = (schedule[round - 16] ?? 0) + small0 + (schedule[round - 7] ?? 0) + small1;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let round = 0; round < ROUNDS; round += 1) {
    const big1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25);
    const first = (h + big1 + ((e & f) ^ (~e & g)) + (CONSTANTS[round] ?? 0) + (schedule[round] ?? 0)) | 0;
    const big0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22);
    const second = (big0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [index, word] of [a, b, c, d, e, f, g, h].entries()) state[index] = ((state[index] ?? 0) + word) | 0;
}

function rotated(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

function fractionBits(root: number): number {
  return Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate += 1)
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  return primes;
}
