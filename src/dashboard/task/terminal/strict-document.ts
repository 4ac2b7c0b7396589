/**
 * Makes elements obey a policy that forbids styles in markup, because xterm does not: style elements carry the page's
 * nonce, and the styles of spans are set through their objects instead of as text. Returns the way back.
 */
export function makeStrict(document: Document): () => void {
  const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';
  const create = document.createElement;
  const createStrictly = (name: string, options?: ElementCreationOptions): HTMLElement => {
    const element = create.call(document, name, options);
    if (element instanceof HTMLStyleElement) element.nonce = nonce;
    if (element instanceof HTMLSpanElement) element.setAttribute = setStrictly;
    return element;
  };
  Reflect.set(document, 'createElement', createStrictly);
  return () => {
    Reflect.set(document, 'createElement', create);
  };
}

function setStrictly(this: Element, name: string, value: string): void {
  if (name === 'style' && this instanceof HTMLElement) this.style.cssText = value;
  else Element.prototype.setAttribute.call(this, name, value);
}
