import { crc32, deflateSync } from 'node:zlib';

/** The segments of a seven-segment digit: top, upper left, upper right, middle, lower left, lower right, bottom. */
const SEGMENTS = [
  '1110111',
  '0010010',
  '1011101',
  '1011011',
  '0111010',
  '1101011',
  '1101111',
  '1010010',
  '1111111',
  '1111011',
];
/** Each segment as a rectangle: left, top, width, height, in units of a digit of 6 by 10. */
const RECTANGLES = [
  [1, 0, 4, 1],
  [0, 1, 1, 3],
  [5, 1, 1, 3],
  [1, 4, 4, 1],
  [0, 5, 1, 3],
  [5, 5, 1, 3],
  [1, 8, 4, 1],
] as const;
const SCALE = 8;
const CELL = { width: 8, height: 11 };
const WHITE = 255;
const SIGNATURE = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);

/** A PNG that shows the digits and contains no text. */
export function digitsPicture(digits: string): Buffer {
  const width = digits.length * CELL.width * SCALE;
  const height = CELL.height * SCALE;
  const pixels = Array.from({ length: height }, () => Buffer.alloc(width, WHITE));
  for (const [position, digit] of [...digits].entries()) draw(pixels, position, Number(digit));
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 0, 0, 0, 0], 8);
  const rows = Buffer.concat(pixels.map((row) => Buffer.concat([Buffer.from([0]), row])));
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function draw(pixels: readonly Buffer[], position: number, digit: number): void {
  for (const [index, [left, top, width, height]] of RECTANGLES.entries()) {
    if (SEGMENTS[digit]?.[index] !== '1') continue;
    const from = (position * CELL.width + 1 + left) * SCALE;
    for (const row of pixels.slice((1 + top) * SCALE, (1 + top + height) * SCALE))
      row.fill(0, from, from + width * SCALE);
  }
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
