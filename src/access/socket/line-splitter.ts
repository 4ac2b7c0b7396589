const NEWLINE = 0x0a;

/** Cuts what arrives into lines, in linear time; says false once a line is longer than the limit, and is of no use then. */
export function createLineSplitter(longestBytes: number, onLine: (line: Buffer) => void): (chunk: Buffer) => boolean {
  let begun: Buffer[] = [];
  let begunBytes = 0;

  return (chunk) => {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      const rest = chunk.subarray(start, end);
      if (begunBytes + rest.length > longestBytes) return false;
      const line = begun.length === 0 ? rest : Buffer.concat([...begun, rest]);
      begun = [];
      begunBytes = 0;
      start = end + 1;
      onLine(line);
    }
    if (start < chunk.length) begun.push(chunk.subarray(start));
    begunBytes += chunk.length - start;
    return begunBytes <= longestBytes;
  };
}
