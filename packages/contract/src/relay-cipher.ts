/**
 * End-to-end encryption between a paired device and the daemon: ECDH on P-256, HKDF and AES-GCM of
 * WebCrypto. The relay between them has none of the keys. The same code runs in the daemon and on
 * the page of the phone, so it depends on nothing else.
 */

/** `up` is from the device to the daemon. */
export type RelayDirection = 'up' | 'down'

export type RelayKeys = Readonly<Record<RelayDirection, CryptoKey>>

/** What the relay stores and forwards. */
export interface SealedFrame {
  /** Increases with every frame of a direction; the receiver refuses a lower one. */
  counter: number
  /** Milliseconds since the epoch. */
  expires: number
  iv: string
  data: string
}

/** The content of the QR code, in the fragment of a URL, which browsers never send to a server. */
export interface PairingCode {
  device: string
  /** The public key of the daemon. */
  key: string
  secret: string
}

const VERSION = 'steward-relay/1'
const CURVE = { name: 'ECDH', namedCurve: 'P-256' } as const
const SECRET_BYTES = 32
const IV_BYTES = 12

export const createRelayPair = async (): Promise<{ publicKey: string; privateKey: string }> => {
  const pair = await crypto.subtle.generateKey(CURVE, true, ['deriveBits'])
  return {
    publicKey: toBase64Url(await crypto.subtle.exportKey('raw', pair.publicKey)),
    privateKey: toBase64Url(await crypto.subtle.exportKey('pkcs8', pair.privateKey)),
  }
}

export const createRelaySecret = (): string =>
  toBase64Url(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))

interface KeyParts {
  device: string
  secret: string
  /** One's own private key, and the public key of the other side. */
  privateKey: string
  peer: string
  /** Both public keys in the order daemon, device: each key belongs to this pair only. */
  between: readonly [daemon: string, device: string]
}

/**
 * The keys of a paired device. The secret of the QR code is part of them, so that a key which the
 * relay put in place of the device's own derives others.
 */
export const deriveRelayKeys = async (parts: KeyParts): Promise<RelayKeys> => {
  const { subtle } = crypto
  const own = await subtle.importKey('pkcs8', fromBase64Url(parts.privateKey), CURVE, false, [
    'deriveBits',
  ])
  const peer = await subtle.importKey('raw', fromBase64Url(parts.peer), CURVE, false, [])
  const shared = await subtle.deriveBits({ name: 'ECDH', public: peer }, own, 256)
  const material = await subtle.importKey('raw', shared, 'HKDF', false, ['deriveKey'])
  const derive = (direction: RelayDirection): Promise<CryptoKey> =>
    subtle.deriveKey(
      {
        name: 'HKDF',
        hash: 'SHA-256',
        salt: fromBase64Url(parts.secret),
        info: encode([VERSION, parts.device, ...parts.between, direction].join('/')),
      },
      material,
      { name: 'AES-GCM', length: 256 },
      false,
      ['encrypt', 'decrypt'],
    )
  return { up: await derive('up'), down: await derive('down') }
}

/** What a device shows to the relay; the relay knows its hash. */
export const relayAccessOf = async (secret: string): Promise<string> => {
  const material = await crypto.subtle.importKey('raw', fromBase64Url(secret), 'HKDF', false, [
    'deriveBits',
  ])
  const info = encode(`${VERSION}/access`)
  const salt = new Uint8Array()
  const parameters = { name: 'HKDF', hash: 'SHA-256', salt, info }
  return toBase64Url(await crypto.subtle.deriveBits(parameters, material, 256))
}

export const hashRelayAccess = async (access: string): Promise<string> =>
  toBase64Url(await crypto.subtle.digest('SHA-256', encode(access)))

export interface FramePlace {
  device: string
  direction: RelayDirection
}

export const sealFrame = async (
  keys: RelayKeys,
  place: FramePlace,
  head: Pick<SealedFrame, 'counter' | 'expires'>,
  payload: unknown,
): Promise<SealedFrame> => {
  const iv = crypto.getRandomValues(new Uint8Array(IV_BYTES))
  const data = await crypto.subtle.encrypt(
    { name: 'AES-GCM', iv, additionalData: describeFrame(place, head) },
    keys[place.direction],
    encode(JSON.stringify(payload)),
  )
  return { ...head, iv: toBase64Url(iv), data: toBase64Url(data) }
}

/** The JSON text in a frame; undefined if it is not from the other side, or was changed. */
export const openFrame = async (
  keys: RelayKeys,
  place: FramePlace,
  frame: SealedFrame,
): Promise<string | undefined> => {
  try {
    const data = await crypto.subtle.decrypt(
      {
        name: 'AES-GCM',
        iv: fromBase64Url(frame.iv),
        additionalData: describeFrame(place, frame),
      },
      keys[place.direction],
      fromBase64Url(frame.data),
    )
    return new TextDecoder().decode(data)
  } catch {
    // WebCrypto does not say what is wrong, on purpose.
    return undefined
  }
}

/** The address for the QR code. */
export const writePairingLink = (relay: string, { device, key, secret }: PairingCode): string =>
  `${relay.replace(/\/$/, '')}/#${[1, device, key, secret].join('.')}`

export const readPairingCode = (fragment: string): PairingCode | undefined => {
  const match = /^#?1\.([\w-]{1,64})\.([\w-]{87})\.([\w-]{43})$/.exec(fragment)
  const [, device, key, secret] = match ?? []
  if (device === undefined || key === undefined || secret === undefined) return undefined
  return { device, key, secret }
}

const describeFrame = (
  { device, direction }: FramePlace,
  { counter, expires }: Pick<SealedFrame, 'counter' | 'expires'>,
): Uint8Array<ArrayBuffer> => encode([VERSION, device, direction, counter, expires].join('/'))

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const toBase64Url = (bytes: ArrayBuffer | Uint8Array<ArrayBuffer>): string => {
  let text = ''
  for (const byte of new Uint8Array(bytes)) text += String.fromCharCode(byte)
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}

const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (each) =>
    each.charCodeAt(0),
  )
