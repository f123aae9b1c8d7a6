import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * SHA-256 as lower-case hex, synchronously: Web Crypto only has an asynchronous one, and parsing
 * a feed that needs it for a few nameless items should not make every caller wait.
 */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))
