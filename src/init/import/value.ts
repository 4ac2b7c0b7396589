import { z } from 'zod';

/** Types of values as other tools write them; none of them bends one type into another. */
export const Flag = z.boolean();
/** The same as YAML 1.1 reads it, which that tool's library does. */
export const YamlFlag = z.preprocess(
  (value) => (typeof value === 'string' && /^(?:yes|no|on|off)$/i.test(value) ? /^(?:yes|on)$/i.test(value) : value),
  Flag,
);
export const Whole = z.number().int();
export const Amount = z.number();
export const Text = z.string();
export const Texts = z.array(z.string());

/** A list, or a text with commas between its items. */
export const Listed = z.union([
  Texts,
  Text.transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  ),
]);
