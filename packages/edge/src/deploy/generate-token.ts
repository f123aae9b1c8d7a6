import { randomBytes } from 'node:crypto'

/** Spec 1, Authentication: a secure token is 32 random bytes in hexadecimal. */
export const generateToken = (): string => randomBytes(32).toString('hex')
