import type { Replacement } from './replace-bytes.ts'
import { replaceBytes } from './replace-bytes.ts'

/** Headers of a single connection; a proxy has two different ones. */
const HOP_BY_HOP = new Set(
  'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding upgrade'.split(
    ' ',
  ),
)

/** Raw headers, name and value alternating, without hop-by-hop and `dropped` ones. */
export const passHeaders = (raw: readonly string[], dropped: readonly string[] = []): string[] => {
  const named = valuesOf(raw, 'connection').flatMap((value) => value.toLowerCase().split(/\s*,\s*/))
  const left = new Set([...HOP_BY_HOP, ...named, ...dropped])
  return pairsOf(raw)
    .filter(([name]) => !left.has(name.toLowerCase()))
    .flat()
}

export const valuesOf = (raw: readonly string[], name: string): string[] =>
  pairsOf(raw)
    .filter(([found]) => found.toLowerCase() === name)
    .map(([, value]) => value)

export const maskHeaders = (raw: readonly string[], masks: readonly Replacement[]): string[] =>
  raw.map((text, index) => (index % 2 === 0 ? text : maskText(text, masks)))

export const maskText = (text: string, masks: readonly Replacement[]): string =>
  replaceBytes(Buffer.from(text, 'latin1'), masks).toString('latin1')

const pairsOf = (raw: readonly string[]): Array<[name: string, value: string]> =>
  raw.flatMap((name, index) =>
    index % 2 === 0 ? [[name, raw[index + 1] ?? ''] as [string, string]] : [],
  )
