/** Headers of every answer. */
export const COMMON_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-frame-options': 'DENY',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'cache-control': 'no-store',
} as const;

type PageContent = { nonce?: string; scripts?: readonly string[] };

/**
 * What a page may load and do: text never becomes a script or HTML. The nonce allows the style sheets of the terminal, the
 * hashes the scripts that are in the page itself.
 */
export function contentPolicy({ nonce, scripts = [] }: PageContent = {}): string {
  const allowed = ["'self'", ...scripts.map((hash) => `'sha256-${hash}'`)].join(' ');
  const styles = nonce === undefined ? "'self'" : `'self' 'nonce-${nonce}'`;
  return [
    "default-src 'none'",
    `script-src ${allowed}`,
    `style-src ${styles}`,
    "connect-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
    "require-trusted-types-for 'script'",
    'trusted-types manyhands-worker',
  ].join('; ');
}
