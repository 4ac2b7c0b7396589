/** The browser's time in milliseconds. */
export function now(): number {
  return Date.now();
}

/** Calls once after a delay; returns a function that cancels it. */
export function after(ms: number, call: () => void): () => void {
  const timer = setTimeout(call, ms);
  return () => clearTimeout(timer);
}

/** Calls at an interval; returns a function that ends it. */
export function every(ms: number, call: () => void): () => void {
  const timer = setInterval(call, ms);
  return () => clearInterval(timer);
}

/** Calls when the browser is idle, after at most half a second; returns a function that cancels it. */
export function whenIdle(call: () => void): () => void {
  if (typeof requestIdleCallback === 'undefined') return after(0, call);
  const handle = requestIdleCallback(call, { timeout: 500 });
  return () => cancelIdleCallback(handle);
}
