import {
  createCipheriv,
  createDecipheriv,
  createPublicKey,
  diffieHellman,
  generateKeyPairSync,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/** The key pair of one process of a host; the private key never leaves its memory. */
export type SealKeys = { publicKey: string; open(sealed: string, about: string): string };

const CIPHER = 'aes-256-gcm';
const TAG_BYTES = 16;
/** The length of an X25519 public key in SPKI form, https://www.rfc-editor.org/rfc/rfc8410 */
const PUBLIC_KEY_BYTES = 44;

export function createSealKeys(): SealKeys {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  const own = exportKey(publicKey);
  return {
    publicKey: own.toString('base64'),
    open: (sealed, about) => {
      const bytes = Buffer.from(sealed, 'base64');
      const sender = bytes.subarray(0, PUBLIC_KEY_BYTES);
      const { key, iv } = derive(privateKey, importKey(sender), Buffer.concat([sender, own, Buffer.from(about)]));
      const decipher = createDecipheriv(CIPHER, key, iv);
      decipher.setAuthTag(bytes.subarray(PUBLIC_KEY_BYTES, PUBLIC_KEY_BYTES + TAG_BYTES));
      return Buffer.concat([
        decipher.update(bytes.subarray(PUBLIC_KEY_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString();
    },
  };
}

/** Encrypts a text for the process with this public key, and for one purpose; each text has a key of its own. */
export function sealText(text: string, publicKey: string, about: string): string {
  const receiver = Buffer.from(publicKey, 'base64');
  const { publicKey: once, privateKey } = generateKeyPairSync('x25519');
  const sender = exportKey(once);
  const { key, iv } = derive(privateKey, importKey(receiver), Buffer.concat([sender, receiver, Buffer.from(about)]));
  const cipher = createCipheriv(CIPHER, key, iv);
  const encrypted = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([sender, cipher.getAuthTag(), encrypted]).toString('base64');
}

function derive(privateKey: KeyObject, publicKey: KeyObject, about: Buffer): { key: Buffer; iv: Buffer } {
  const shared = diffieHellman({ privateKey, publicKey });
  const bytes = Buffer.from(hkdfSync('sha256', shared, '', about, 44));
  return { key: bytes.subarray(0, 32), iv: bytes.subarray(32) };
}

function exportKey(key: KeyObject): Buffer {
  return key.export({ format: 'der', type: 'spki' });
}

function importKey(bytes: Buffer): KeyObject {
  return createPublicKey({ key: bytes, format: 'der', type: 'spki' });
}
