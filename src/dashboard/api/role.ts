const ROLE = metaContent('role');

/** Whether the user reads only the runs that were shared with them; the server writes the role into the page. */
export const IS_GUEST = ROLE === 'guest';

/** Whether the user may act. */
export const MAY_ACT = ROLE !== 'viewer' && !IS_GUEST;

/** The runs that were shared with a guest. */
export const SHARED_RUNS: readonly string[] = IS_GUEST ? metaContent('shared-runs').split(' ').filter(Boolean) : [];

function metaContent(name: string): string {
  return document.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? '';
}
