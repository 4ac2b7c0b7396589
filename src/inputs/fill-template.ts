const PLACEHOLDER = /\{\{\s*([\p{L}\p{N}_.-]+)\s*\}\}/gu;

/** Puts values in the place of `{{name}}`, once: what a value holds is never filled in again. Names without a value are told. */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, unknown>>,
): { text: string; missing: string[] } {
  const missing = new Set<string>();
  const text = template.replaceAll(PLACEHOLDER, (whole: string, name: string) => {
    if (Object.hasOwn(values, name)) return String(values[name]);
    missing.add(name);
    return whole;
  });
  return { text, missing: [...missing] };
}
