/** The run, and the task if there is one, that an address or the focused element is about. */
export type SelectedItem = { run: string; task: string | undefined };

/** The item of a path such as `/runs/k3v9x2ab/tasks/implement%2F1`. */
function itemOfPath(path: string): SelectedItem | undefined {
  const [, run, task] = /^\/runs\/(\w+)(?:\/tasks\/([^/?#]+))?/.exec(path) ?? [];
  return run === undefined ? undefined : { run, task: task === undefined ? undefined : decoded(task) };
}

/** The item that the focused element of the page links to or contains, else that of the page. */
export function selectedItem(active: Element | null, path: string): SelectedItem | undefined {
  const inMain = active?.closest('main') === null ? null : active;
  const link =
    inMain?.closest('a[href^="/runs/"]') ?? inMain?.closest('[data-row], li, tr')?.querySelector('a[href^="/runs/"]');
  return itemOfPath(link?.getAttribute('href') ?? path);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // An address typed by hand may not be valid encoding: it is used unchanged.
    return text;
  }
}
