const encoder = new TextEncoder()
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' }

const importKey = (key: Uint8Array<ArrayBuffer>): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', key, ALGORITHM, false, ['sign', 'verify'])

export const hmacSha256 = async (
  key: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<ArrayBuffer> => crypto.subtle.sign('HMAC', await importKey(key), bytes)

/** `verify` compares in constant time, unlike a string comparison. */
export const matchesHmac = async (
  key: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
  signature: Uint8Array<ArrayBuffer>,
): Promise<boolean> => crypto.subtle.verify('HMAC', await importKey(key), signature, bytes)

export const bytesOf = (text: string): Uint8Array<ArrayBuffer> => encoder.encode(text)

export const toHex = (bytes: ArrayBuffer): string =>
  new Uint8Array(bytes).reduce((hex, byte) => hex + byte.toString(16).padStart(2, '0'), '')

export const toBase64 = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
