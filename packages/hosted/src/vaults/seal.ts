import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { StewardError } from '@steward/contract'

/**
 * Encrypts secrets in the store. `about` binds a secret to its place: copied elsewhere it cannot be
 * decrypted.
 */
export interface Seal {
  close(secret: string, about: string): Uint8Array
  open(sealed: Uint8Array, about: string): string
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** AES-256-GCM with a new nonce for each secret: nonce, tag, ciphertext. */
export const createSeal = (masterKey: Uint8Array): Seal => {
  if (masterKey.length !== KEY_BYTES)
    throw new StewardError('not_configured', {
      subject: 'the master key of hosted agents',
      reason: `it has ${masterKey.length} bytes and needs ${KEY_BYTES}`,
    })
  return {
    close: (secret, about) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', masterKey, nonce).setAAD(Buffer.from(about))
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    open: (sealed, about) => {
      const bytes = Buffer.from(sealed)
      const nonce = bytes.subarray(0, NONCE_BYTES)
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      try {
        const decipher = createDecipheriv('aes-256-gcm', masterKey, nonce)
          .setAAD(Buffer.from(about))
          .setAuthTag(tag)
        const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
        return Buffer.concat([text, decipher.final()]).toString('utf8')
      } catch (thrown) {
        const reason = `a secret of ${about} cannot be decrypted with this master key`
        throw new StewardError('not_configured', { subject: 'hosted agents', reason }, thrown)
      }
    },
  }
}
