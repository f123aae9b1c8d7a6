import type { SecretParts } from './make-secret.ts'

/** A secret and the text that contains it. */
export type SecretRow = readonly [
  id: string,
  make: (parts: SecretParts) => string | readonly string[],
  put: (...secrets: string[]) => string,
]

export const password = (parts: SecretParts): string => parts.password()
export const plain = (parts: SecretParts): string => parts.alnum(14)
export const two = (parts: SecretParts): string[] => [parts.alnum(24), parts.alnum(16)]
export const hex = (length: number) => (parts: SecretParts) => parts.hex(length)
export const alnum = (length: number) => (parts: SecretParts) => parts.alnum(length)
export const base64 = (length: number) => (parts: SecretParts) => parts.base64(length)
export const block = (label: string, ...lines: string[]): string =>
  ['-----BEGIN ', label, '-----\n', lines.join('\n'), '\n-----END ', label, '-----'].join('')
export const key = (kind: string): string =>
  [kind, 'PRIVATE', 'KEY'].filter((it) => it !== '').join(' ')
export const lines = (parts: SecretParts): string[] => [
  parts.base64(64),
  parts.base64(64),
  parts.base64(38),
]
export const slack = ['hooks', 'slack', 'com'].join('.')
