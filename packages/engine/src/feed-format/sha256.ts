import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * SHA-256 as lower-case hex, synchronously: Web Crypto's is asynchronous, and only a few items
 * without ids need it, so callers should not have to await.
 */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))
